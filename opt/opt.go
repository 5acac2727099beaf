// Package opt has the scalar optimizations and canonicalizations of the kernel
// IR. Each pass is a function over one kernel in a file of its own; Passes lists
// them in order. Packages meld and rounds have those that are told how lanes run together.
//
// It must not know how many lanes run together or any target.
package opt

import "github.com/simtc/simtc/kernel"

// Stats counts what the passes did, by name; a nil Stats counts nothing.
type Stats map[string]int

// Add counts n events.
func (s Stats) Add(name string, n int) {
	if s != nil && n != 0 {
		s[name] += n
	}
}

// Pass is a row of the pass table.
type Pass struct {
	Name string
	Run  func(*kernel.Func, Stats)
}
