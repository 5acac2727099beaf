// Package slp combines equal operations of scalar code into vector operations (superword-level
// parallelism).
//
// It must not know targets: its costs are numbers of instructions, the same for all.
package slp
