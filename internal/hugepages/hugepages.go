// Package hugepages asks the system for large pages of memory, where it has
// them only for those who ask: they spare what is large most page faults, and
// kernels that run through it most misses of address translation. It is advice:
// nothing here fails.
package hugepages

import "runtime"

const size = 2 << 20

// GrowHeap makes the next bytes that are allocated come from large pages. It is
// for programs that are about to allocate as much.
func GrowHeap(bytes int) {
	grow(bytes)
	runtime.GC() // what was just allocated is the heap's to give out again
}

//go:noinline
func grow(bytes int) { Advise(make([]byte, bytes)) }

// Make returns n zero bytes, large pages where they pay.
func Make(n int) []byte {
	b := make([]byte, n)
	Advise(b)
	return b
}
