// Package narrow computes in smaller integer types: lanes of 32 bits whose results need fewer
// become lanes of 8 or 16 bits.
//
// It must not know which operations a target has; legalization widens missing ones.
package narrow
