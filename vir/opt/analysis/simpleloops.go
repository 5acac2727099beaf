package analysis

import (
	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/cfg"
	"github.com/simtc/simtc/vir"
)

// SimpleLoop is a reducible loop with one back edge.
type SimpleLoop struct {
	Cycle     *cfg.Cycle
	Head      *vir.Block
	Latch     *vir.Block
	Back      InEdge   // from the latch
	Entry     []InEdge // from outside
	MaskLogic *maskLogic
}

// Next returns the argument that the back edge passes to the head's parameter p.
func (l *SimpleLoop) Next(p *vir.Value) *vir.Value { return l.Back.Edge().Args[p.Index] }

// Outside reports whether v is defined outside of the loop, and so is invariant in it.
func (l *SimpleLoop) Outside(v *vir.Value) bool {
	return v.Op == vir.Const || !l.MaskLogic.Cycles.Contains(l.Cycle, v.Block.ID)
}

// Stays returns the index of the head's edge that stays in the loop while the other one
// leaves it, or -1 if there is no such edge.
func (l *SimpleLoop) Stays() int {
	h, cycles := l.Head, l.MaskLogic.Cycles
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

// FindLoop returns the simple loop of a cycle, nil if the cycle has several entries or
// back edges.
func FindLoop(f *vir.Func, cycles *cfg.CycleForest, in [][]InEdge, c *cfg.Cycle) *SimpleLoop {
	if !c.Reducible() {
		return nil
	}
	lp := &SimpleLoop{Cycle: c, Head: f.Blocks[c.Header], MaskLogic: &maskLogic{Cycles: cycles, loop: c}}
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

// StepOf returns the loop-invariant value that the scalar parameter n of the loop's head
// grows by in every iteration, nil if there is none.
func StepOf(lp *SimpleLoop, n *vir.Value) *vir.Value {
	next := lp.Next(n)
	s := Other(next, alu.Add, n)
	if s == nil || !n.Type.IsScalar() || !lp.Outside(s) {
		return nil
	}
	return s
}
