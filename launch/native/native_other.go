//go:build !(amd64 && (linux || windows))

package native

import (
	"context"
	"fmt"
	"runtime"
	"time"
)

// Present reports that native code is not supported on this platform.
func Present(Level) (ok bool, reason string) {
	return false, fmt.Sprintf("native code runs on linux/amd64 and windows/amd64 only, not on %s/%s", runtime.GOOS, runtime.GOARCH)
}

// Code is a loaded image; on this platform there is none.
type Code struct{}

// Load fails with an error that wraps ErrUnavailable.
func Load(image Image) (*Code, error) {
	if err := image.validate(); err != nil {
		return nil, err
	}
	_, reason := Present(image.Level)
	return nil, fmt.Errorf("%w: %s", ErrUnavailable, reason)
}

// Close does nothing.
func (c *Code) Close() error { return nil }

// Size is 0.
func (c *Code) Size() int { return 0 }

// Run fails with ErrUnavailable.
func (c *Code) Run(context.Context, int, uintptr, *Area) error { return ErrUnavailable }

// RunAll fails with ErrUnavailable.
func (c *Code) RunAll(context.Context, int, uintptr, *Area, func() bool) error {
	return ErrUnavailable
}

// clock interrupts code; on this platform there is none.
type clock struct{ every time.Duration }

func (c *clock) release() {}

// WatchFaults does nothing.
func WatchFaults() {}

// KeepFaults does nothing.
func KeepFaults() {}
