package regalloc

import (
	"cmp"
	"slices"
	"strings"

	"github.com/simtc/simtc/internal/diag"
	"github.com/simtc/simtc/targets/mach"
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

// countSpill counts an access to a slot in memory in block b. at is the last
// line named in the block.
func (a *Allocation[I]) countSpill(store bool, b *mach.Block[I], at diag.Pos) {
	at = at.Plain()
	at.Col = 0
	if b.Depth == 0 {
		return
	}
	i := slices.IndexFunc(a.Spills, func(s Spill) bool { return s.At == at && s.Depth == b.SourceDepth && s.Strip == b.InStripLoop })
	if i < 0 {
		i = len(a.Spills)
		a.Spills = append(a.Spills, Spill{At: at, Depth: b.SourceDepth, Strip: b.InStripLoop})
	}
	if store {
		a.Spills[i].Stores++
	} else {
		a.Spills[i].Reloads++
	}
}

// firstLine returns the first line that instructions of block bi name. Code on an edge
// may name none; it belongs to the line of its predecessor.
func (a *allocator[I]) firstLine(bi int) int32 {
	for i := range a.out[bi] {
		if n := *a.m.Line(&a.out[bi][i].in); n > 0 {
			return n
		}
	}
	if preds := a.f.Blocks[bi].Preds; len(preds) > 0 {
		for i := range slices.Backward(a.out[preds[0]]) {
			if n := *a.m.Line(&a.out[preds[0]][i].in); n > 0 {
				return n
			}
		}
	}
	return 0
}

// sortSpills orders the counts by file, line and descending loop depth.
func (a *Allocation[I]) sortSpills() {
	slices.SortFunc(a.Spills, func(x, y Spill) int {
		return cmp.Or(strings.Compare(x.At.File, y.At.File), x.At.Line-y.At.Line, y.Depth-x.Depth)
	})
}
