package avx512

import (
	"cmp"
	"slices"
	"strings"

	"github.com/simtc/simtc/internal/diag"
)

// Spill counts the spill code of one source line at one loop depth. Only code in loops
// counts, including loops that the source does not have. A store belongs to the line where
// the value is stored, a reload to the line of its use.
type Spill struct {
	At      diag.Pos // the line; invalid if unknown
	Depth   int      // loop depth in the source
	Strip   bool     // inside the loop over strips of work-items
	Stores  int
	Reloads int // loads and memory operands
}

// countSpill counts o, which accesses a slot in memory, in block b. at is the last
// line named in the block.
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

// firstLine returns the first line that instructions of block bi name. Code on an edge
// may name none; it belongs to the line of its predecessor.
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

// sortSpills orders the counts by file, line and descending loop depth.
func (a *allocation) sortSpills() {
	slices.SortFunc(a.spills, func(x, y Spill) int {
		return cmp.Or(strings.Compare(x.At.File, y.At.File), x.At.Line-y.At.Line, y.Depth-x.Depth)
	})
}
