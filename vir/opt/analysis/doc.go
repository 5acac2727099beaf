// Package analysis computes facts about a function that several passes need: uses and incoming
// edges, the form of loops and their counters, facts that branches imply, the memory object
// of an address, ranges that comparisons test, and masks as boolean functions.
//
// It must not change functions nor know a pass. Results describe the function as it was when
// they were computed.
package analysis
