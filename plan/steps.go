package plan

import (
	"slices"

	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/cfg"
	"github.com/simtc/simtc/vir"
)

// stepsByParent reports whether a counter of c steps by that of the parent, as in a sieve.
func (w *flow) stepsByParent(c *cfg.Cycle) bool {
	if c.Parent == nil || c.Parent == w.strip {
		return false
	}
	return slices.ContainsFunc(w.f.Blocks[c.Header].Params, func(p *vir.Value) bool {
		return slices.ContainsFunc(w.addends(p), func(step *vir.Value) bool { return w.counter(c.Parent, step) != 0 })
	})
}

// addends returns the values that are added to a parameter of a loop's header in its iterations.
func (w *flow) addends(p *vir.Value) []*vir.Value {
	var out []*vir.Value
	for _, a := range w.passed[p.ID] {
		if a.Op == alu.Select { // lanes that have exited keep their value
			a = a.Args[1]
		}
		if a.Op != alu.Add || a.Args[0] != p {
			continue
		}
		step := a.Args[1]
		if step.Op == vir.Splat {
			step = step.Args[0]
		}
		out = append(out, step)
	}
	return out
}

// sharesIterations reports whether the counter that c compares steps by the number of work-items
// that share the iterations of a loop: by an argument or a size of the launch, from a number that
// depends on the work-item.
func (w *flow) sharesIterations(c *cfg.Cycle) bool {
	return slices.ContainsFunc(w.loops.Exits(c), func(e cfg.Edge) bool {
		stays := w.f.Blocks[e.From].Cond
		if stays.Op == vir.Any {
			stays = stays.Args[0]
		}
		return slices.ContainsFunc(conjuncts(nil, stays), func(m *vir.Value) bool {
			return alu.InfoOf(m.Op).Class == alu.Compare && slices.ContainsFunc(m.Args, func(x *vir.Value) bool { return w.stepsByShare(c, x) })
		})
	})
}

// stepsByShare reports whether x is a counter of c as sharesIterations describes.
func (w *flow) stepsByShare(c *cfg.Cycle, x *vir.Value) bool {
	const large = 32 // the least argument that is taken for a number of work-items
	for x.Op == vir.Splat || x.Op == alu.Trunc || x.Op == alu.SExt || x.Op == alu.ZExt || x.Op == alu.Add && w.uniformIn(c, x.Args[1]) {
		x = x.Args[0]
	}
	if x.Op != vir.Param || x.Block.ID != c.Header || w.uniformAcrossStrips(w.initial(c, x)) {
		return false
	}
	return slices.ContainsFunc(w.addends(x), func(step *vir.Value) bool {
		if step.Op == vir.Const {
			return step.Signed() >= large
		}
		for step.Op == alu.SExt || step.Op == alu.ZExt || step.Op == alu.Trunc {
			step = step.Args[0]
		}
		return step.Op == vir.Load && step.Invariant
	})
}

// uniformIn reports whether v does not change in c.
func (w *flow) uniformIn(c *cfg.Cycle, v *vir.Value) bool {
	return v.Block == nil || !w.loops.Contains(c, v.Block.ID)
}
