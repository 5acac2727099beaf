//go:build !linux

package launch

import "time"

// startThreadClock starts a clock: that of a thread cannot be had portably.
func startThreadClock() (stop func() time.Duration) {
	began := time.Now()
	return func() time.Duration { return time.Since(began) }
}
