// Package hugepages asks the system for large pages of memory, where it has
// them only for those who ask: they spare what is large most page faults, and
// kernels that run through it most misses of address translation. It is advice:
// nothing here fails.
package hugepages

import (
	"runtime"
	"sync/atomic"
)

const size = 2 << 20

// GrowHeap makes the next bytes that are allocated come from large pages. It is
// for programs that are about to allocate as much.
func GrowHeap(bytes int) {
	grow(bytes)
	runtime.GC() // what was just allocated is the heap's to give out again
}

//go:noinline
func grow(bytes int) { Advise(make([]byte, bytes)) }

// Make returns n zero bytes, large pages where they pay. Large ones do not begin where
// the last did in its page: see Gap.
func Make(n int) []byte {
	skip := int(Gap(uint64(n)) * (made.Add(1) % gaps))
	b := make([]byte, skip+n)[skip:]
	Advise(b)
	return b
}

// made counts the calls of Make.
var made atomic.Uint64

const (
	page = 4096
	gaps = 16 // in a page
)

// Gap is by how many bytes, a multiple of 64, buffers of n bytes should be apart. The sizes
// of buffers are powers of two mostly, and the same index leads to all of them: if all began
// alike, loads from one would look like loads from what was just stored to another, which
// processors tell by the place in a page first.
func Gap(n uint64) uint64 {
	if n < page {
		return 0
	}
	return page / gaps
}
