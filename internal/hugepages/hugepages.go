// Package hugepages asks the system for large pages of memory, where it has
// them only for those who ask: they spare what is large most page faults, and
// kernels that run through it most misses of address translation. It is advice:
// nothing here fails.
package hugepages

import (
	"fmt"
	"math"
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
// the last did in its page: see Gap. Unlike the built-in make, which ends the program, it
// returns an error where the address space has no room for them.
func Make(n int) ([]byte, error) {
	if n >= minChecked && (n > math.MaxInt-slack || !hasRoom(n+slack)) {
		return nil, fmt.Errorf("no room for %d bytes in the address space of the process", n)
	}
	skip := int(Gap(uint64(n)) * (made.Add(1) % gaps))
	b := make([]byte, skip+n)[skip:]
	Advise(b)
	return b, nil
}

const (
	// minChecked is the size in bytes from which Make looks for room: the heap has as much for small ones.
	minChecked = 16 << 20
	// slack is what the heap may take beyond what is allocated, in bytes: it grows by arenas
	// of up to 64 MiB.
	slack = 128 << 20
)

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
