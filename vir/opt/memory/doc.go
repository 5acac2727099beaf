// Package memory improves memory accesses: coalescing, interleaved groups, tiles, arrays cached in
// registers, combined atomics, and prefetching of masked loads.
//
// It must not know targets beyond the widths of vector types.
package memory
