package remarks

import (
	"github.com/simtc/simtc/cfg"
	"github.com/simtc/simtc/internal/diag"
	"github.com/simtc/simtc/kernel"
)

// flow is the control flow of a kernel, with source positions.
type flow struct {
	g     *cfg.Graph
	dom   *cfg.DomTree
	loops *cfg.CycleForest
	args  map[*kernel.Value][]argument // of block parameters
	start diag.Pos
}

// argument is a value passed along an edge.
type argument struct {
	from  *kernel.Block
	value *kernel.Value
}

func newFlow(k *kernel.Func) flow {
	g := k.Graph()
	f := flow{g: g, dom: cfg.Dominators(g), loops: cfg.Cycles(g), args: map[*kernel.Value][]argument{}, start: k.Pos}
	if !f.start.IsValid() {
		f.start = diag.Pos{File: k.Pos.File, Line: 1, Col: 1}
	}
	for _, b := range k.Blocks {
		for _, e := range b.Edges {
			for i, x := range e.Args {
				p := e.To.Params[i]
				f.args[p] = append(f.args[p], argument{b, x})
			}
		}
	}
	return f
}

// branchAt is the source position of the branch of b. A branch made by a pass has the
// position of its condition, or of the operation before it.
func (f *flow) branchAt(b *kernel.Block) diag.Pos {
	switch {
	case b.Pos.IsValid():
		return b.Pos
	case b.Cond != nil && b.Cond.Pos.IsValid():
		return b.Cond.Pos
	}
	for i := len(b.Values) - 1; i >= 0; i-- {
		if computes(b.Values[i]) {
			return b.Values[i].Pos
		}
	}
	return f.above(b)
}

// loopAt is the source position of the loop with header h: its test, if that is in the
// line where the loop begins.
func (f *flow) loopAt(h *kernel.Block) diag.Pos {
	if at := f.branchAt(h); !h.At.IsValid() || at.SameLine(h.At) {
		return at
	}
	return h.At
}

// blockAt is the source position where b begins.
func (f *flow) blockAt(b *kernel.Block) diag.Pos {
	for _, v := range b.Values {
		if computes(v) && (!b.At.IsValid() || v.Pos.SameLine(b.At)) {
			return v.Pos
		}
	}
	if b.At.IsValid() {
		return b.At
	}
	if b.Pos.IsValid() {
		return b.Pos
	}
	for _, e := range b.Edges { // an empty block has the position of its successor
		if f.dom.Dominates(b.ID, e.To.ID) && e.To != b {
			for _, v := range e.To.Values {
				if computes(v) {
					return v.Pos
				}
			}
		}
	}
	return f.above(b)
}

// above is the end of the nearest dominator that has a source position.
func (f *flow) above(b *kernel.Block) diag.Pos {
	k := b.Func
	for id := b.ID; id != 0; {
		id = f.dom.IDom[id]
		d := k.Blocks[id]
		if len(d.Values) == 0 && d.At.IsValid() {
			return d.At
		}
		if d.Pos.IsValid() {
			return d.Pos
		}
		for i := len(d.Values) - 1; i >= 0; i-- {
			if computes(d.Values[i]) {
				return d.Values[i].Pos
			}
		}
	}
	return f.start
}

// computes reports whether v's position is that of a computation, not of a declaration.
func computes(v *kernel.Value) bool {
	switch v.Op {
	case kernel.Argument, kernel.ArgAddr, kernel.DataAddr, kernel.LocalAddr, kernel.Alloca:
		return false
	}
	return v.Pos.IsValid()
}

// valueAt is the source position of v.
func (f *flow) valueAt(v *kernel.Value) diag.Pos {
	switch {
	case v.Pos.IsValid():
		return v.Pos
	case v.Block == nil:
		return f.start
	case v.Op == kernel.Load:
		if k := v.Block.Func.KeptIn(v.Args[0]); k != nil && k.Pos.IsValid() {
			return k.Pos
		}
	}
	return f.blockAt(v.Block)
}

// leaves returns the innermost cycle that the edge b -> t exits, nil if none.
func (f *flow) leaves(b, t int) *cfg.Cycle {
	if c := f.loops.InnermostCycle(b); c != nil && !f.loops.Contains(c, t) {
		return c
	}
	return nil
}

// around is the innermost cycle that contains b, not counting one that b heads.
func (f *flow) around(b *kernel.Block) *cfg.Cycle {
	c := f.loops.InnermostCycle(b.ID)
	if c != nil && c.Header == b.ID {
		return c.Parent
	}
	return c
}

// region lists the blocks that run only through b: those it dominates, in the cycle around
// it.
func (f *flow) region(b *kernel.Block) []*kernel.Block {
	var out []*kernel.Block
	c := f.around(b)
	for _, x := range b.Func.Blocks {
		if f.dom.Dominates(b.ID, x.ID) && (c == nil || f.loops.Contains(c, x.ID)) {
			out = append(out, x)
		}
	}
	return out
}

// arm is the region of to, nil if control also reaches to on an edge that is neither from b
// nor a back edge of a loop with header to.
func (f *flow) arm(b, to *kernel.Block) []*kernel.Block {
	for _, p := range f.g.Preds[to.ID] {
		if p != b.ID && !f.dom.Dominates(to.ID, p) {
			return nil
		}
	}
	return f.region(to)
}
