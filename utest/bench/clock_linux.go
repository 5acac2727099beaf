package main

import (
	"time"

	"golang.org/x/sys/unix"
)

// cpuTime is the CPU time that all threads of this process have used.
func cpuTime() time.Duration {
	var t unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_PROCESS_CPUTIME_ID, &t); err != nil {
		return 0
	}
	return time.Duration(t.Nano())
}
