//go:build unix

package wazerohost

import (
	"math"

	"golang.org/x/sys/unix"
)

// overcommits reports whether unused address space may be reserved freely.
const overcommits = math.MaxInt > math.MaxInt32

// linear is a memory whose maximum is reserved at the start, so that it never moves. Only
// the part in use is accessible; the rest does not count against the process's memory limit.
type linear struct{ buf []byte }

func reserve(max uint64) (*linear, error) {
	if max == 0 {
		return &linear{}, nil
	}
	buf, err := unix.Mmap(-1, 0, int(max), unix.PROT_NONE, unix.MAP_ANON|unix.MAP_PRIVATE)
	if err != nil {
		return nil, err
	}
	return &linear{buf}, nil
}

// Reallocate makes the first size bytes accessible, or returns nil.
func (l *linear) Reallocate(size uint64) []byte {
	if size > uint64(len(l.buf)) {
		return nil
	}
	if size > 0 && unix.Mprotect(l.buf[:size], unix.PROT_READ|unix.PROT_WRITE) != nil {
		return nil
	}
	return l.buf[:size:len(l.buf)]
}

// Free does nothing: the engine calls it when any instance over the memory closes, not only
// its owner.
func (l *linear) Free() {}

func (l *linear) release() {
	if l.buf != nil {
		// Unmapping a whole mapping cannot fail.
		_ = unix.Munmap(l.buf)
		l.buf = nil
	}
}
