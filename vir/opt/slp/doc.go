// Package slp turns groups of equal scalar operations of one lane into vector operations
// (superword-level parallelism).
//
// It must not know targets; its costs are in operations, equal for all.
package slp
