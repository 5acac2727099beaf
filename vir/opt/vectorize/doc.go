// Package vectorize turns loops of scalar code into vector operations: reductions, also over
// gathers, and loops that fill memory.
//
// It must not know targets, and never reorders floating-point operations.
package vectorize
