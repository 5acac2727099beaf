// Package vectorize turns the loops of uniform code into vector operations: reductions, also over
// gathers, and loops that fill memory.
//
// It must not know targets. Floating-point operations keep their order.
package vectorize
