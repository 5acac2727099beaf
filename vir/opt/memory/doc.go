// Package memory improves memory accesses: coalescing, interleaved groups, tiles, arrays cached in
// registers, and combined atomics.
//
// It must not know targets beyond the widths of vector types.
package memory
