// Package control simplifies the uniform control flow: decided branches, jump threading, empty
// blocks, selects turned into branches, and operations sunk to the paths that need them.
//
// It must not know how flow became uniform. A reducible graph stays reducible.
package control
