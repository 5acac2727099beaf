//go:build unix

package wazerohost

import (
	"math"

	"golang.org/x/sys/unix"
)

// overcommits reports whether address space may be reserved that is never used.
const overcommits = math.MaxInt > math.MaxInt32

// linear is a memory whose maximum is set aside from the start, so that it
// never moves. Only what is in use can be accessed, which keeps the rest from
// counting against what the system lets a process have.
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

// Reallocate makes the first size bytes accessible, or gives nil.
func (l *linear) Reallocate(size uint64) []byte {
	if size > uint64(len(l.buf)) {
		return nil
	}
	if size > 0 && unix.Mprotect(l.buf[:size], unix.PROT_READ|unix.PROT_WRITE) != nil {
		return nil
	}
	return l.buf[:size:len(l.buf)]
}

// Free is the engine's: it calls it when any instance over the memory closes,
// not only its owner, so it frees nothing.
func (l *linear) Free() {}

func (l *linear) release() {
	if l.buf != nil {
		// Unmapping a whole mapping cannot fail.
		_ = unix.Munmap(l.buf)
		l.buf = nil
	}
}
