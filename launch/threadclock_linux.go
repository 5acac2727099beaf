package launch

import (
	"runtime"
	"time"

	"golang.org/x/sys/unix"
)

// startThreadClock starts a clock of the thread's CPU time: on an oversubscribed machine,
// wall time is mostly the time of other threads. The caller is locked to its thread until
// it calls stop, which it must do exactly once.
func startThreadClock() (stop func() time.Duration) {
	runtime.LockOSThread()
	began, ok := threadTime()
	wall := time.Now()
	return func() time.Duration {
		defer runtime.UnlockOSThread()
		if ended, still := threadTime(); ok && still {
			return ended - began
		}
		return time.Since(wall)
	}
}

// threadTime returns the CPU time of this thread.
func threadTime() (d time.Duration, ok bool) {
	var t unix.Timespec
	if unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &t) != nil {
		return 0, false
	}
	return time.Duration(t.Nano()), true
}
