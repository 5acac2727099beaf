// Package opt holds the scalar optimizations and canonicalizations of the kernel
// IR. Each pass is a function over one kernel in a file of its own; Passes lists
// them in order. Transforms that depend on which lanes run together have packages of their
// own, such as meld and rounds.
//
// It must not depend on the number of lanes or on a target.
package opt

import (
	"github.com/simtc/simtc/internal/pass"
	"github.com/simtc/simtc/kernel"
)

// Stats counts the effects of passes, by name; a nil Stats counts nothing.
type Stats = pass.Stats

// Pass is a pass over the kernel IR.
type Pass = pass.Pass[*kernel.Func]
