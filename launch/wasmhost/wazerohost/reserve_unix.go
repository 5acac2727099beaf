//go:build unix

package wazerohost

import "golang.org/x/sys/unix"

// linear is a memory whose maximum is mapped from the start; the system backs
// pages when they are first touched, and the Go heap does not see it.
type linear struct{ buf []byte }

func reserve(max uint64) (*linear, error) {
	if max == 0 {
		return &linear{}, nil
	}
	buf, err := unix.Mmap(-1, 0, int(max), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_ANON|unix.MAP_PRIVATE)
	if err != nil {
		return nil, err
	}
	return &linear{buf}, nil
}

func (l *linear) Reallocate(size uint64) []byte {
	if size > uint64(len(l.buf)) {
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
