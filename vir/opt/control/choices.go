package control

import (
	"slices"

	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/cfg"
	"github.com/simtc/simtc/vir"
	"github.com/simtc/simtc/vir/opt/analysis"
	"github.com/simtc/simtc/vir/opt/edit"
)

// Choices makes choices of scalar code branches where what a loop loads decides
// what it loads next. A choice waits for the load, so that rounds follow each
// other at the pace of memory; a branch is guessed, and the next load begins.
//
// It does so where a load of what the loop does not write is compared with what
// the place of an item tells, and not other loads: neighbours then go the same
// way for long, and guesses hold.
//
// Example: a bisection for the row of a matrix that an item computes. One for
// numbers in no order stays as it is.
//
// requires: dense IDs, no unreachable blocks
// maintains: what f computes; a reducible graph stays so
func Choices(f *vir.Func, stats edit.Stats) {
	if f.Width != 1 {
		return
	}
	g := f.Graph()
	order, in := g.ReversePostOrder(), analysis.InEdges(f)
	var groups [][]*vir.Value
	for _, c := range cfg.Cycles(g).Cycles {
		if c.Reducible() && len(c.Children) == 0 {
			groups = append(groups, choicesOfLoads(f, c, order, in)...)
		}
	}
	if len(groups) == 0 {
		return
	}
	for _, choices := range groups {
		stats.Add("choices of loads made branches", branchOn(f, choices))
	}
	f.Renumber()
}

// choicesOfLoads returns choices of a loop that are to be branches, those on
// one condition together: at most one condition of each block.
func choicesOfLoads(f *vir.Func, c *cfg.Cycle, order []int, in [][]analysis.InEdge) [][]*vir.Value {
	r := roundOf(f, c, order)
	if r == nil {
		return nil
	}
	var groups [][]*vir.Value
	for _, b := range r.blocks {
		at := slices.IndexFunc(b.Values, func(v *vir.Value) bool { return r.waits(v) && r.guessed(v.Args[0], in) })
		if at < 0 {
			continue
		}
		var choices []*vir.Value
		for _, v := range b.Values {
			if v.Op == alu.Select && v.Type.IsScalar() && v.Args[0] == b.Values[at].Args[0] {
				choices = append(choices, v)
			}
		}
		groups = append(groups, choices)
	}
	return groups
}

// round tells how what one round of a loop computes hangs on the parameters of
// its header: sets of them, by value ID.
type round struct {
	blocks []*vir.Block
	from   []uint64 // those it is computed by
	loaded []uint64 // those in the address of a load that it is computed by
	toward []uint64 // those whose next value is computed by it, without a load
}

// roundOf looks at a loop with no loop in it. The order is that of all blocks;
// nil if the header has too many parameters or something is written.
func roundOf(f *vir.Func, c *cfg.Cycle, order []int) *round {
	h := f.Blocks[c.Header]
	if len(h.Params) > 64 {
		return nil
	}
	r := &round{
		from: make([]uint64, f.NumValues()), loaded: make([]uint64, f.NumValues()), toward: make([]uint64, f.NumValues()),
	}
	inside := make([]bool, len(f.Blocks))
	for _, id := range c.Blocks {
		inside[id] = true
	}
	for _, id := range order {
		if inside[id] {
			r.blocks = append(r.blocks, f.Blocks[id])
		}
	}
	for i, p := range h.Params {
		r.from[p.ID] = 1 << i
	}
	for _, b := range r.blocks {
		for _, v := range b.Values {
			if vir.InfoOf(v.Op).Effect == vir.Writes {
				return nil
			}
			for _, a := range v.Args {
				r.from[v.ID] |= r.from[a.ID]
				r.loaded[v.ID] |= r.loaded[a.ID]
			}
			if v.Op == vir.Load {
				r.loaded[v.ID] |= r.from[v.ID]
			}
		}
		for _, e := range b.Edges {
			if e.To == h || !inside[e.To.ID] {
				continue
			}
			for i, a := range e.Args {
				p := e.To.Params[i]
				r.from[p.ID] |= r.from[a.ID]
				r.loaded[p.ID] |= r.loaded[a.ID]
			}
		}
	}
	for _, b := range slices.Backward(r.blocks) {
		for _, e := range b.Edges {
			for i, a := range e.Args {
				if e.To == h {
					r.toward[a.ID] |= 1 << i
				} else {
					r.toward[a.ID] |= r.toward[e.To.Params[i].ID]
				}
			}
		}
		for _, v := range slices.Backward(b.Values) {
			if v.Op == vir.Load {
				continue
			}
			for _, a := range v.Args {
				r.toward[a.ID] |= r.toward[v.ID]
			}
		}
	}
	return r
}

// waits reports whether v is a choice on which the next round's load waits, but
// for its condition.
func (r *round) waits(v *vir.Value) bool {
	if v.Op != alu.Select || !v.Type.IsScalar() {
		return false
	}
	by := r.loaded[v.Args[0].ID] &^ (r.loaded[v.Args[1].ID] | r.loaded[v.Args[2].ID])
	return by&r.toward[v.ID] != 0
}

// guessed reports whether the condition compares what the round loads with what
// no load tells.
func (r *round) guessed(cond *vir.Value, in [][]analysis.InEdge) bool {
	if alu.InfoOf(cond.Op).Class != alu.Compare || r.loaded[cond.Args[0].ID] != 0 && r.loaded[cond.Args[1].ID] != 0 {
		return false
	}
	seen := map[*vir.Value]bool{}
	var placed func(v *vir.Value) bool
	placed = func(v *vir.Value) bool {
		switch {
		case seen[v] || ofLaunch(v):
			return true
		case v.Op == vir.Load && r.loaded[v.ID] == 0 || v.Op != vir.Load && vir.InfoOf(v.Op).Effect != vir.Pure:
			return false
		}
		seen[v] = true
		if v.Op == vir.Param {
			return all(in[v.Block.ID], func(e analysis.InEdge) bool { return placed(e.Edge().Args[v.Index]) })
		}
		return all(v.Args, placed)
	}
	return placed(cond)
}

// ofLaunch reports whether v is loaded from where the launch's arguments lie.
func ofLaunch(v *vir.Value) bool {
	return v.Op == vir.Load && v.Invariant && (v.Args[0].Op == vir.Context || ofLaunch(v.Args[0]))
}
