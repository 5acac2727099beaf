// Package loops changes the structure of loops: hoisting, peeling, unrolling, rotation, and
// the tests at latches.
//
// It must not know targets, nor how addresses and reductions are rewritten. A reducible graph
// stays reducible.
package loops
