package ndarg

import (
	"fmt"
	"math"
)

// Summary describes the contents of a buffer.
type Summary struct {
	FNV           uint64  // FNV-1a 64 of the bytes
	Sum, Min, Max float64 // of the elements as doubles, in order; NaN affects only Sum
}

// Summarize summarizes b, a flat array of e.
func Summarize(b []byte, e Elem) Summary {
	s := Summary{FNV: Hash(b), Min: math.Inf(1), Max: math.Inf(-1)}
	for size := e.size(); len(b) >= size; b = b[size:] {
		v := e.Number(b)
		s.Sum += v
		if v < s.Min {
			s.Min = v
		}
		if v > s.Max {
			s.Max = v
		}
	}
	return s
}

// Hash returns the FNV-1a 64 checksum of b.
func Hash(b []byte) uint64 {
	h := uint64(14695981039346656037)
	for _, c := range b {
		h = (h ^ uint64(c)) * 1099511628211
	}
	return h
}

// Difference finds the first element in which two buffers of e differ. All NaNs are
// equal, as the bits of a computed NaN are unspecified.
func Difference(a, b []byte, e Elem) (index int, differs bool) {
	size := e.size()
	if len(a) != len(b) {
		return min(len(a), len(b)) / size, true
	}
	for i := 0; i+size <= len(a); i += size {
		if e.bits(a[i:]) == e.bits(b[i:]) {
			continue
		}
		if e.IsFloat() && math.IsNaN(e.Number(a[i:])) && math.IsNaN(e.Number(b[i:])) {
			continue
		}
		return i / size, true
	}
	return 0, false
}

// FormatHash formats a checksum as 16 hexadecimal digits.
func FormatHash(h uint64) string { return fmt.Sprintf("%016x", h) }
