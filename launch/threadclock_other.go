//go:build !linux

package launch

import "time"

// startThreadClock starts a wall clock: thread CPU time is not portable.
func startThreadClock() (stop func() time.Duration) {
	began := time.Now()
	return func() time.Duration { return time.Since(began) }
}
