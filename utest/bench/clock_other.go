//go:build !linux

package main

import "time"

var began = time.Now()

// cpuTime is the time on the clock where CPU time cannot be had portably.
func cpuTime() time.Duration { return time.Since(began) }
