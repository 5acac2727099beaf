// Package combine simplifies operations and merges equal ones: algebraic rules by operation,
// value numbering over the dominator tree, values that branches imply, and joined range
// tests.
//
// It must not know targets, and it never fuses, splits or reorders floating-point
// operations.
package combine
