// Package edit changes functions for all passes: it inserts and replaces values, copies blocks,
// removes dead values and redundant block parameters, and counts what passes do.
//
// It must not know which pass calls it, and does not judge whether a change pays.
package edit
