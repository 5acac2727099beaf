package wazerohost

import (
	"math"
	"unsafe"

	"golang.org/x/sys/windows"
)

// overcommits reports whether unused address space may be reserved freely.
const overcommits = math.MaxInt > math.MaxInt32

// linear is a memory whose maximum is reserved at the start, so that it never moves. Only
// the part in use is committed.
type linear struct{ buf []byte }

func reserve(max uint64) (*linear, error) {
	if max == 0 {
		return &linear{}, nil
	}
	at, err := windows.VirtualAlloc(0, uintptr(max), windows.MEM_RESERVE, windows.PAGE_NOACCESS)
	if err != nil {
		return nil, err
	}
	// The memory is outside of the Go heap and does not move.
	return &linear{unsafe.Slice(*(**byte)(unsafe.Pointer(&at)), int(max))}, nil
}

// Reallocate makes the first size bytes accessible, or returns nil.
func (l *linear) Reallocate(size uint64) []byte {
	if size > uint64(len(l.buf)) {
		return nil
	}
	if size > 0 {
		at := uintptr(unsafe.Pointer(unsafe.SliceData(l.buf)))
		if _, err := windows.VirtualAlloc(at, uintptr(size), windows.MEM_COMMIT, windows.PAGE_READWRITE); err != nil {
			return nil
		}
	}
	return l.buf[:size:len(l.buf)]
}

// Free does nothing: the engine calls it when any instance over the memory closes, not only
// its owner.
func (l *linear) Free() {}

func (l *linear) release() {
	if l.buf != nil {
		// Releasing a whole reservation cannot fail.
		_ = windows.VirtualFree(uintptr(unsafe.Pointer(unsafe.SliceData(l.buf))), 0, windows.MEM_RELEASE)
		l.buf = nil
	}
}
