// Package loops changes the structure of loops: hoisting, peeling, unrolling, rotation, exits
// by trip count and the tests at latches.
//
// It must not know what a loop computes beyond its tests. Reducible graphs stay reducible.
package loops
