package wazerohost

import (
	"math"
	"unsafe"

	"golang.org/x/sys/windows"
)

// overcommits reports whether address space may be reserved that is never used.
const overcommits = math.MaxInt > math.MaxInt32

// linear is a memory whose maximum is reserved from the start, so that it
// never moves. Only what is in use is committed.
type linear struct{ buf []byte }

func reserve(max uint64) (*linear, error) {
	if max == 0 {
		return &linear{}, nil
	}
	at, err := windows.VirtualAlloc(0, uintptr(max), windows.MEM_RESERVE, windows.PAGE_NOACCESS)
	if err != nil {
		return nil, err
	}
	// The memory is not of the Go heap, which never moves what lies there.
	return &linear{unsafe.Slice(*(**byte)(unsafe.Pointer(&at)), int(max))}, nil
}

// Reallocate makes the first size bytes accessible, or gives nil.
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

// Free is the engine's: it calls it when any instance over the memory closes,
// not only its owner, so it frees nothing.
func (l *linear) Free() {}

func (l *linear) release() {
	if l.buf != nil {
		// Releasing a whole reservation cannot fail.
		_ = windows.VirtualFree(uintptr(unsafe.Pointer(unsafe.SliceData(l.buf))), 0, windows.MEM_RELEASE)
		l.buf = nil
	}
}
