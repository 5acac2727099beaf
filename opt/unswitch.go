package opt

import (
	"slices"

	"github.com/simtc/simtc/cfg"
	"github.com/simtc/simtc/kernel"
)

// Unswitch moves a loop-invariant exit test of a header in front of the loop.
//
// requires: no unreachable blocks, LCSSA for finding all; maintains: SSA; breaks: LCSSA
func Unswitch(f *kernel.Func, st Stats) {
	n := 0
	for unswitch(f) {
		JoinBlocks(f) // the header may have another such test now
		f.Renumber()
		n++
	}
	if st.Add("loops unswitched", n); n > 0 {
		RemoveDead(f, nil)
	}
}

// unswitch moves one test.
func unswitch(f *kernel.Func) bool {
	loops := cfg.Cycles(f.Graph())
	in := InEdges(f)
	return slices.ContainsFunc(loops.Cycles, func(c *cfg.Cycle) bool {
		u := unswitching{f: f, loops: loops, cycle: c}
		return c.Reducible() && u.header(in[c.Header])
	})
}

// unswitching is a loop whose header may have such a test.
type unswitching struct {
	f     *kernel.Func
	loops *cfg.CycleForest
	cycle *cfg.Cycle
}

// header moves the test of the header in front of the loop and reports whether it did.
func (u *unswitching) header(in []InEdge) bool {
	h := u.f.Blocks[u.cycle.Header]
	if h.Kind != kernel.Branch || slices.ContainsFunc(h.Values, writes) {
		return false
	}
	stay := slices.IndexFunc(h.Edges, func(e kernel.Edge) bool { return u.inside(e.To) })
	if stay < 0 || u.inside(h.Edges[1-stay].To) || len(u.loops.Exits(u.cycle)) < 2 {
		return false
	}
	var enter []InEdge
	for _, e := range in {
		if !u.inside(e.From) {
			enter = append(enter, e)
		}
	}
	same := NewInvariants(u.loops, u.cycle)
	if len(enter) != 1 || !same.Has(h.Cond) || usedAfterLoops(u.f, u.loops)[h] {
		return false
	}
	leave := h.Edges[1-stay]
	ofParam := func(a *kernel.Value) bool { return a.Op == kernel.Param && a.Block == h }
	if slices.ContainsFunc(leave.Args, func(a *kernel.Value) bool { return !ofParam(a) && !same.Has(a) }) {
		return false
	}
	first := enter[0].Edge()
	test := u.f.NewBlock("")
	cond := same.CopyTo(test, h.Cond)
	leave.Args = slices.Clone(leave.Args)
	for i, a := range leave.Args {
		if ofParam(a) {
			leave.Args[i] = first.Args[a.Index]
		} else {
			leave.Args[i] = same.CopyTo(test, a)
		}
	}
	edges := [2]kernel.Edge{leave, leave}
	edges[stay] = kernel.Edge{To: h, Args: first.Args, Rare: h.Edges[stay].Rare}
	test.Branch(cond, edges[0], edges[1])
	test.Pos = h.Pos
	first.To, first.Args = test, nil
	on := h.Edges[stay]
	h.Jump(on.To, on.Args...)
	return true
}

func (u *unswitching) inside(b *kernel.Block) bool { return u.loops.Contains(u.cycle, b.ID) }

func writes(v *kernel.Value) bool {
	return kernel.InfoOf(v.Op).Effect != kernel.Pure && (v.Op != kernel.Load || v.Volatile)
}
