// Package analysis answers questions about a function that several passes ask: uses and incoming
// edges, the form of loops and their counters, facts that branches imply, the memory object
// of an address, ranges that comparisons test, and masks as boolean functions.
//
// It changes nothing and knows no pass: its results describe the function as it was when
// they were computed.
package analysis
