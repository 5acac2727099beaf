package launch

import (
	"runtime"
	"time"

	"golang.org/x/sys/unix"
)

// startThreadClock starts a clock that stands while others have the processor: where there
// is more work than processors, most of the time that passes is theirs. The caller stays on
// its thread until it asks for the time, which it must do once.
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

// threadTime is the time that this thread has had a processor.
func threadTime() (d time.Duration, ok bool) {
	var t unix.Timespec
	if unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &t) != nil {
		return 0, false
	}
	return time.Duration(t.Nano()), true
}
