package control

import (
	"slices"

	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/cfg"
	"github.com/simtc/simtc/vir"
	"github.com/simtc/simtc/vir/opt/analysis"
	"github.com/simtc/simtc/vir/opt/edit"
)

// SelectsToBranches turns selects of scalar code into branches if a loop's loads decide the
// address of its next load. A select waits for the loaded value, so that iterations run at
// memory latency; a predicted branch lets the next load start.
//
// It applies if a loaded value that the loop does not write is compared with a value computed
// from the work-item's ID and not from loads: neighbouring work-items then mostly take the
// same branch, which is predictable.
//
// Example: a bisection for the row of a matrix element. Bisection for unordered values keeps
// its selects.
//
// requires: dense IDs, no unreachable blocks
// maintains: what f computes; a reducible graph stays so
func SelectsToBranches(f *vir.Func, stats edit.Stats) {
	if f.Width != 1 {
		return
	}
	g := f.Graph()
	order, in := g.ReversePostOrder(), analysis.InEdges(f)
	var groups [][]*vir.Value
	for _, c := range cfg.Cycles(g).Cycles {
		if c.Reducible() && len(c.Children) == 0 {
			groups = append(groups, selectsOfLoads(f, c, order, in)...)
		}
	}
	if len(groups) == 0 {
		return
	}
	for _, selects := range groups {
		stats.Add("selects of loads made branches", branchOn(f, selects))
	}
	f.Renumber()
}

// selectsOfLoads returns the selects of a loop to replace, grouped by condition: at most one
// condition of each block.
func selectsOfLoads(f *vir.Func, c *cfg.Cycle, order []int, in [][]analysis.InEdge) [][]*vir.Value {
	r := dependencesOf(f, c, order)
	if r == nil {
		return nil
	}
	var groups [][]*vir.Value
	for _, b := range r.blocks {
		at := slices.IndexFunc(b.Values, func(v *vir.Value) bool { return r.nextLoadDependsOn(v) && r.isPredictable(v.Args[0], in) })
		if at < 0 {
			continue
		}
		var selects []*vir.Value
		for _, v := range b.Values {
			if v.Op == alu.Select && v.Type.IsScalar() && v.Args[0] == b.Values[at].Args[0] {
				selects = append(selects, v)
			}
		}
		groups = append(groups, selects)
	}
	return groups
}

// dependence records how the values of one loop iteration depend on the header's parameters:
// bit sets of these, by value ID.
type dependence struct {
	blocks []*vir.Block
	from   []uint64 // parameters that the value depends on
	loaded []uint64 // parameters in the address of a load that the value depends on
	toward []uint64 // parameters whose next value depends on the value, not through a load
}

// dependencesOf analyzes an innermost loop. order lists all blocks in reverse post-order. It
// returns nil if the header has too many parameters or the loop writes memory.
func dependencesOf(f *vir.Func, c *cfg.Cycle, order []int) *dependence {
	h := f.Blocks[c.Header]
	if len(h.Params) > 64 {
		return nil
	}
	r := &dependence{
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

// nextLoadDependsOn reports whether v is a select on which the next iteration's load depends only through
// the condition.
func (r *dependence) nextLoadDependsOn(v *vir.Value) bool {
	if v.Op != alu.Select || !v.Type.IsScalar() {
		return false
	}
	by := r.loaded[v.Args[0].ID] &^ (r.loaded[v.Args[1].ID] | r.loaded[v.Args[2].ID])
	return by&r.toward[v.ID] != 0
}

// isPredictable reports whether cond compares a value loaded in the iteration with one that depends
// on no load.
func (r *dependence) isPredictable(cond *vir.Value, in [][]analysis.InEdge) bool {
	if alu.InfoOf(cond.Op).Class != alu.Compare || r.loaded[cond.Args[0].ID] != 0 && r.loaded[cond.Args[1].ID] != 0 {
		return false
	}
	seen := map[*vir.Value]bool{}
	var placed func(v *vir.Value) bool
	placed = func(v *vir.Value) bool {
		switch {
		case seen[v] || isArgument(v):
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

// isArgument reports whether v is loaded from the launch's arguments.
func isArgument(v *vir.Value) bool {
	return v.Op == vir.Load && v.Invariant && (v.Args[0].Op == vir.Context || isArgument(v.Args[0]))
}
