package avx512

import (
	"cmp"
	"slices"
	"strings"

	"github.com/simtc/simtc/internal/diag"
)

// Spill counts the spill code of one source line in the loops of one depth. There is
// a loop around it, if none of the source.
// A store belongs to the line where the value is stored, a reload to the one
// that needs it again.
type Spill struct {
	At      diag.Pos // the line; not valid if it is not known
	Depth   int      // loops of the source around it
	Strip   bool     // is in the loop over strips of work-items
	Stores  int
	Reloads int // loads, and operands in memory
}

// countSpill notes o, which refers to a slot in memory, in block b. at is the line
// that the block has named last.
func (a *allocation) countSpill(o *outInst, b *machineBlock, at diag.Pos) {
	at = at.Plain()
	at.Col = 0
	if b.depth == 0 {
		return
	}
	i := slices.IndexFunc(a.spills, func(s Spill) bool { return s.At == at && s.Depth == b.sourceDepth && s.Strip == b.inStripLoop })
	if i < 0 {
		i = len(a.spills)
		a.spills = append(a.spills, Spill{At: at, Depth: b.sourceDepth, Strip: b.inStripLoop})
	}
	if o.stores() {
		a.spills[i].Stores++
	} else {
		a.spills[i].Reloads++
	}
}

// firstLine is the first line that instructions of block bi name. One on an edge
// may name none and belongs to where control comes from.
func (a *allocator) firstLine(bi int) int32 {
	for _, o := range a.out[bi] {
		if o.in.Line > 0 {
			return o.in.Line
		}
	}
	if preds := a.f.blocks[bi].preds; len(preds) > 0 {
		for _, o := range slices.Backward(a.out[preds[0]]) {
			if o.in.Line > 0 {
				return o.in.Line
			}
		}
	}
	return 0
}

// sortSpills orders them by file and line, the innermost loops first.
func (a *allocation) sortSpills() {
	slices.SortFunc(a.spills, func(x, y Spill) int {
		return cmp.Or(strings.Compare(x.At.File, y.At.File), x.At.Line-y.At.Line, y.Depth-x.Depth)
	})
}
