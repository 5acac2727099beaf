package main

import (
	"time"

	"golang.org/x/sys/unix"
)

// cpuTime returns the CPU time used by all threads of this process.
func cpuTime() time.Duration {
	var t unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_PROCESS_CPUTIME_ID, &t); err != nil {
		return 0
	}
	return time.Duration(t.Nano())
}
