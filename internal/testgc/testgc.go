// Package testgc reduces the frequency of garbage collection in test processes. Tests
// compile one program after another and retain little, so collection at the default rate
// took a quarter of their time. It is imported by helper packages of tests, and by tests
// that use none of them. GOGC in the environment overrides it.
package testgc

import (
	"os"
	"runtime/debug"
)

// percent is the growth of the heap before it is collected: a live heap of some MB grows
// to about 100 MB.
const percent = 1200

func init() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(percent)
	}
}
