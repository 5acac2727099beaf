//go:build !linux

package main

import "time"

var began = time.Now()

// cpuTime returns wall-clock time, as there is no portable CPU time.
func cpuTime() time.Duration { return time.Since(began) }
