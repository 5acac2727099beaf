package launch

import (
	"cmp"
	"slices"
	"unsafe"
)

// Overlap reports whether two of the buffers that arguments point to share
// memory.
func Overlap(args []Arg) bool {
	type span struct{ from, to uintptr }
	var spans []span
	for _, a := range args {
		if len(a.Buffer) > 0 {
			from := uintptr(unsafe.Pointer(unsafe.SliceData(a.Buffer)))
			spans = append(spans, span{from, from + uintptr(len(a.Buffer))})
		}
	}
	slices.SortFunc(spans, func(a, b span) int { return cmp.Compare(a.from, b.from) })
	for i := 1; i < len(spans); i++ {
		if spans[i].from < spans[i-1].to {
			return true
		}
	}
	return false
}
