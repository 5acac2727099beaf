package avx512

import "slices"

// Spill counts the spill code of one source line in the loops of one depth. There is
// a loop around it, if none of the source.
// A store belongs to the line where the value is stored, a reload to the one
// that needs it again.
type Spill struct {
	Line    int  // from 1; 0: not known
	Depth   int  // loops of the source around it
	Strip   bool // is in the loop over strips of work-items
	Stores  int
	Reloads int // loads, and operands in memory
}

// countSpill notes o, which refers to a slot in memory, in block b. line is the
// last one that the block has named.
func (a *allocation) countSpill(o *outInst, b *machineBlock, line int32) {
	if b.depth == 0 {
		return
	}
	i := slices.IndexFunc(a.spills, func(s Spill) bool { return s.Line == int(line) && s.Depth == b.own && s.Strip == b.strip })
	if i < 0 {
		i = len(a.spills)
		a.spills = append(a.spills, Spill{Line: int(line), Depth: b.own, Strip: b.strip})
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

// sortSpills orders them by line, the innermost loops first.
func (a *allocation) sortSpills() {
	slices.SortFunc(a.spills, func(x, y Spill) int {
		if x.Line != y.Line {
			return x.Line - y.Line
		}
		return y.Depth - x.Depth
	})
}
