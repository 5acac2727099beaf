package opt

import (
	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/cfg"
	"github.com/simtc/simtc/vir"
)

// simpleLoop is a loop with one edge back.
type simpleLoop struct {
	cycle *cfg.Cycle
	head  *vir.Block
	latch *vir.Block
	back  inEdge // from the latch
	entry []inEdge
	truth *truths
}

// next is what a parameter of the head becomes in the next iteration.
func (l *simpleLoop) next(p *vir.Value) *vir.Value { return l.back.edge().Args[p.Index] }

// outside reports whether v stays the same in the loop.
func (l *simpleLoop) outside(v *vir.Value) bool {
	return v.Op == vir.Const || !l.truth.cycles.Contains(l.cycle, v.Block.ID)
}

// stays is the edge of the head's branch that stays in the loop, -1 if that
// is not one.
func (l *simpleLoop) stays() int {
	h, cycles := l.head, l.truth.cycles
	if h.Kind != vir.Branch {
		return -1
	}
	for i, e := range h.Edges {
		if cycles.Contains(l.cycle, e.To.ID) && !cycles.Contains(l.cycle, h.Edges[1-i].To.ID) {
			return i
		}
	}
	return -1
}

func findLoop(f *vir.Func, cycles *cfg.CycleForest, in [][]inEdge, c *cfg.Cycle) *simpleLoop {
	if !c.Reducible() {
		return nil
	}
	lp := &simpleLoop{cycle: c, head: f.Blocks[c.Header], truth: &truths{cycles: cycles, loop: c}}
	for _, e := range in[c.Header] {
		switch {
		case !cycles.Contains(c, e.from.ID):
			lp.entry = append(lp.entry, e)
		case lp.latch != nil:
			return nil
		default:
			lp.latch, lp.back = e.from, e
		}
	}
	if lp.latch == nil {
		return nil
	}
	return lp
}

func stepOf(lp *simpleLoop, n *vir.Value) *vir.Value {
	next := lp.next(n)
	s := other(next, alu.Add, n)
	if s == nil || !n.Type.IsScalar() || !lp.outside(s) {
		return nil
	}
	return s
}
