package analysis

import (
	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/cfg"
	"github.com/simtc/simtc/vir"
)

// SimpleLoop is a loop with one edge back.
type SimpleLoop struct {
	Cycle *cfg.Cycle
	Head  *vir.Block
	Latch *vir.Block
	Back  InEdge // from the latch
	Entry []InEdge
	Truth *truths
}

// Next is what a parameter of the head becomes in the next iteration.
func (l *SimpleLoop) Next(p *vir.Value) *vir.Value { return l.Back.Edge().Args[p.Index] }

// Outside reports whether v stays the same in the loop.
func (l *SimpleLoop) Outside(v *vir.Value) bool {
	return v.Op == vir.Const || !l.Truth.Cycles.Contains(l.Cycle, v.Block.ID)
}

// Stays is the edge of the head's branch that stays in the loop, -1 if that
// is not one.
func (l *SimpleLoop) Stays() int {
	h, cycles := l.Head, l.Truth.Cycles
	if h.Kind != vir.Branch {
		return -1
	}
	for i, e := range h.Edges {
		if cycles.Contains(l.Cycle, e.To.ID) && !cycles.Contains(l.Cycle, h.Edges[1-i].To.ID) {
			return i
		}
	}
	return -1
}

func FindLoop(f *vir.Func, cycles *cfg.CycleForest, in [][]InEdge, c *cfg.Cycle) *SimpleLoop {
	if !c.Reducible() {
		return nil
	}
	lp := &SimpleLoop{Cycle: c, Head: f.Blocks[c.Header], Truth: &truths{Cycles: cycles, loop: c}}
	for _, e := range in[c.Header] {
		switch {
		case !cycles.Contains(c, e.From.ID):
			lp.Entry = append(lp.Entry, e)
		case lp.Latch != nil:
			return nil
		default:
			lp.Latch, lp.Back = e.From, e
		}
	}
	if lp.Latch == nil {
		return nil
	}
	return lp
}

func StepOf(lp *SimpleLoop, n *vir.Value) *vir.Value {
	next := lp.Next(n)
	s := Other(next, alu.Add, n)
	if s == nil || !n.Type.IsScalar() || !lp.Outside(s) {
		return nil
	}
	return s
}
