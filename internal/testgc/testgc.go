// Package testgc lets the garbage collector of a test process run seldom. Tests
// compile one program after another and keep nothing of it, so that collecting at
// the usual pace was a quarter of their time. Packages that help tests import it,
// and tests that use none of them. GOGC in the environment overrides it.
package testgc

import (
	"os"
	"runtime/debug"
)

// percent is what a heap may grow by until it is collected: a live heap of some MB
// is let grow to some 100 MB.
const percent = 1200

func init() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(percent)
	}
}
