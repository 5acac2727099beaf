// Package hugepages requests large memory pages from the system where these are available
// on request only. They avoid most page faults of large buffers, and most TLB misses of
// kernels that traverse them. The requests are advisory: nothing fails without them.
package hugepages

import (
	"fmt"
	"math"
	"runtime"
	"sync/atomic"
)

const size = 2 << 20

// GrowHeap lets the next allocations of the given total size use large pages. It is for
// programs that are about to allocate that much.
func GrowHeap(bytes int) {
	grow(bytes)
	runtime.GC() // return the memory just allocated to the heap for reuse
}

//go:noinline
func grow(bytes int) { Advise(make([]byte, bytes)) }

// Make returns n zero bytes, on large pages if that pays. Large buffers start at
// different offsets within a page: see Gap. Unlike the built-in make, which ends the
// program, it returns an error if the address space is exhausted.
func Make(n int) ([]byte, error) {
	if n >= minChecked && (n > math.MaxInt-slack || !hasRoom(n+slack)) {
		return nil, fmt.Errorf("the address space of the process has no room for %d bytes", n)
	}
	skip := int(Gap(uint64(n)) * (made.Add(1) % gaps))
	b := make([]byte, skip+n)[skip:]
	Advise(b)
	return b, nil
}

const (
	// size in bytes above which Make checks for space: the heap has enough for smaller ones
	minChecked = 16 << 20
	// slack is the number of bytes that the heap may reserve beyond the allocation: it
	// grows by arenas of up to 64 MiB.
	slack = 128 << 20
)

// made counts calls of Make.
var made atomic.Uint64

const (
	page = 4096
	gaps = 16 // per page
)

// Gap returns the distance in bytes, a multiple of 64, between the page offsets of
// successive buffers of n bytes. Buffer sizes are usually powers of two, and kernels use
// the same index for several buffers. If all buffers had the same page offset, loads from
// one would seem to alias recent stores to another, as processors first compare the low
// 12 address bits.
func Gap(n uint64) uint64 {
	if n < page {
		return 0
	}
	return page / gaps
}
