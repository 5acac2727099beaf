// Package induction rewrites what loop counters determine: wide indices, sums and products of
// counters in addresses, recurrences and polynomials.
//
// It must not know targets; address arithmetic may assume that no object is larger than
// the address space allows.
package induction
