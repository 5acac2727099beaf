package native

import (
	"runtime"
	"unsafe"
)

// Pins keeps Go memory alive and in place while native code uses its address. The zero
// value is ready for use, by one goroutine at a time.
type Pins struct {
	pinner runtime.Pinner
	keep   []unsafe.Pointer
	few    [8]unsafe.Pointer // initial storage of keep: enough for most launches
}

// Bytes pins the memory of b and returns the address of its first byte, 0 for an empty
// slice. The address is valid until Release. Memory that Go did not allocate (mapped files,
// C) does not move and is not pinned.
func (p *Pins) Bytes(b []byte) uintptr {
	if len(b) == 0 {
		return 0
	}
	first := unsafe.SliceData(b)
	if p.keep == nil {
		p.keep = p.few[:0]
	}
	p.keep = append(p.keep, unsafe.Pointer(first))
	p.pin(first)
	return uintptr(unsafe.Pointer(first))
}

// pin pins Go memory and ignores other memory, for which the pinner panics.
func (p *Pins) pin(first *byte) {
	defer func() {
		if value := recover(); value != nil {
			if _, ok := value.(runtime.Error); !ok {
				panic(value)
			}
		}
	}()
	p.pinner.Pin(first)
}

// Release unpins everything. The Pins can be used again.
func (p *Pins) Release() {
	p.pinner.Unpin()
	clear(p.keep)
	p.keep = p.keep[:0]
}

// AlignedBytes allocates n zeroed bytes at a multiple of align, a power of two.
func AlignedBytes(n, align int) []byte {
	memory := make([]byte, n+align-1)
	start := int(-uintptr(unsafe.Pointer(unsafe.SliceData(memory))) & uintptr(align-1))
	return memory[start : start+n : start+n]
}
