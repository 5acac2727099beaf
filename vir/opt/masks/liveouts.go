package masks

import (
	"slices"

	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/cfg"
	"github.com/simtc/simtc/vir"
	"github.com/simtc/simtc/vir/opt/analysis"
	"github.com/simtc/simtc/vir/opt/edit"
)

// Liveouts makes tracking the live-out values of divergent loops cheaper. A loop with the mask
// M, of which M' continues, tracks such a value as
//
//	out' = select(M & ~M', v, out)
//
// The value of out is not used in lanes that are still in the loop, so that
//
//	out' = select(M, v, out)
//
// is equivalent and needs no exit mask. If v is the loop's counter n with step s, each lane
// counts for itself:
//
//	out' = select(M', out + s, out)
//
// starting from the initial n; the scalar n often has no other use then. If v is loop
// invariant, out can have that value from the start. A sum v with no other use may stop
// growing in lanes that have left, and then needs no out:
//
//	v' = v + select(M', x, 0)
//
// requires: dense IDs, no unreachable blocks
// maintains: the graph; what f computes
func Liveouts(f *vir.Func, stats edit.Stats) {
	g := f.Graph()
	l := &liveouts{f: f, stats: stats, dom: cfg.Dominators(g), cycles: cfg.Cycles(g), in: analysis.InEdges(f), uses: analysis.UsesOf(f), later: map[*vir.Value][]analysis.Use{}}
	changed := false
	for _, c := range l.cycles.Cycles {
		lp := l.loop(c)
		if lp == nil {
			continue
		}
		for _, m := range lp.Head.Params {
			if !m.Type.IsMask() || lp.Next(m) == m {
				continue
			}
			for _, out := range lp.Head.Params {
				changed = l.track(lp, m, out) || changed
			}
		}
	}
	if changed {
		edit.Dead(f, stats)
	}
}

type liveouts struct {
	f      *vir.Func
	stats  edit.Stats
	dom    *cfg.DomTree
	cycles *cfg.CycleForest
	in     [][]analysis.InEdge
	uses   [][]analysis.Use              // before the pass, by value ID
	later  map[*vir.Value][]analysis.Use // uses added since
}

// loop returns c as a simple loop, nil if it is none.
func (l *liveouts) loop(c *cfg.Cycle) *analysis.SimpleLoop {
	return analysis.FindLoop(l.f, l.cycles, l.in, c)
}

// track improves the tracking of out for the lanes that leave m.
func (l *liveouts) track(lp *analysis.SimpleLoop, m, out *vir.Value) bool {
	sel := lp.Next(out)
	next := lp.Next(m)
	leave, v := matchTracking(l.f, sel, out)
	if leave == nil || leave.Type != m.Type || out.ID >= len(l.uses) || sel.ID >= len(l.uses) {
		return false
	}
	if l.cycles.InnermostCycle(sel.Block.ID) != lp.Cycle || next.Op == vir.Const || l.cycles.InnermostCycle(next.Block.ID) != lp.Cycle {
		return false
	}
	if leave == m || !lp.MaskLogic.Leaving(leave, m, next) || !l.unobserved(out, sel, m, nil) || !l.unobserved(sel, nil, next, lp.Back.Edge()) {
		return false
	}
	if v.Op == vir.Const || !l.cycles.Contains(lp.Cycle, v.Block.ID) {
		l.setBeforeLoop(lp, m, out, sel, v)
		l.stats.Add("live-outs set before loops", 1)
		return true
	}
	if l.countInLanes(lp, m, out, sel) {
		l.stats.Add("lane counters", 1)
		return true
	}
	if l.stopSum(lp, m, out, sel) {
		l.stats.Add("sums stopped per lane", 1)
		return true
	}
	sel.Args[0] = m
	l.recordUses(sel)
	l.stats.Add("live-outs kept under the loop's mask", 1)
	return true
}

// matchTracking matches next = select(leave, v, out), or the equivalent logic if the values are masks
// and v is constant.
func matchTracking(f *vir.Func, next, out *vir.Value) (leave, v *vir.Value) {
	switch {
	case next.Op == alu.Select && next.Args[2] == out:
		return next.Args[0], next.Args[1]
	case !next.Type.IsMask():
	case analysis.Other(next, alu.Or, out) != nil:
		return analysis.Other(next, alu.Or, out), f.Const(next.Type, 1)
	case analysis.Other(next, alu.And, out) != nil:
		if not := analysis.Other(next, alu.And, out); not.Op == alu.Xor && analysis.IsConst(not.Args[1], 1) {
			return not.Args[0], f.Const(next.Type, 0)
		}
	}
	return nil, nil
}

// setBeforeLoop gives out its final value before the loop, in the lanes that enter it.
func (l *liveouts) setBeforeLoop(lp *analysis.SimpleLoop, m, out, sel, v *vir.Value) {
	seen := v
	for _, e := range lp.Entry {
		args := e.Edge().Args
		if args[out.Index] != v {
			kept := l.recordUses(e.From.Append(alu.Select, out.Type, args[m.Index], v, args[out.Index]))
			kept.Pos, kept.Name = sel.Pos, out.Name
			l.pass(e, out, kept)
			seen = out
		}
	}
	l.replace(map[*vir.Value]*vir.Value{sel: seen})
	l.pass(lp.Back, out, out)
	if seen != out {
		l.replace(map[*vir.Value]*vir.Value{out: v})
	}
}

// recordUses records the operands of the new value v as used.
func (l *liveouts) recordUses(v *vir.Value) *vir.Value {
	for _, a := range v.Args {
		l.later[a] = append(l.later[a], analysis.Use{By: v, Block: v.Block, Edge: -1})
	}
	return v
}

// pass makes an edge pass v to the parameter p.
func (l *liveouts) pass(e analysis.InEdge, p, v *vir.Value) {
	e.Edge().Args[p.Index] = v
	l.later[v] = append(l.later[v], analysis.Use{Block: e.From, Edge: e.N})
}

// replace replaces uses of each key by its value, which must not be a key.
func (l *liveouts) replace(to map[*vir.Value]*vir.Value) {
	for v, x := range to {
		uses := l.later[v]
		if v.ID < len(l.uses) {
			uses = append(slices.Clip(l.uses[v.ID]), uses...)
		}
		delete(l.later, v)
		l.later[x] = append(l.later[x], uses...)
		for _, u := range uses {
			edit.ReplaceUse(u, v, x)
		}
	}
}

// unobserved reports whether no use of v observes lanes of mask, except for the operation besides
// and the back edge.
func (l *liveouts) unobserved(v, besides, mask *vir.Value, back *vir.Edge) bool {
	for _, u := range l.uses[v.ID] {
		switch {
		case u.By != nil && u.By == besides:
		case u.By != nil && u.By.Op == alu.Select && u.By.Args[0] == mask && u.By.Args[1] != v:
		case u.Edge >= 0 && &u.Block.Edges[u.Edge] == back && back.To != nil && l.passedOnce(back, v):
		case l.isEmptyAt(mask, u):
		default:
			return false
		}
	}
	return true
}

// passedOnce reports whether e passes v exactly once.
func (l *liveouts) passedOnce(e *vir.Edge, v *vir.Value) bool {
	n := 0
	for _, a := range e.Args {
		if a == v {
			n++
		}
	}
	return n == 1
}

// isEmptyAt reports whether mask is known to be empty at u.
func (l *liveouts) isEmptyAt(mask *vir.Value, u analysis.Use) bool {
	for _, x := range l.uses[mask.ID] {
		if x.By == nil || x.By.Op != vir.Any {
			continue
		}
		for _, y := range l.uses[x.By.ID] {
			if y.By != nil || y.Edge >= 0 || y.Block.Kind != vir.Branch {
				continue
			}
			if u.Edge == 1 && u.Block == y.Block {
				return true
			}
			to := y.Block.Edges[1].To
			if len(l.in[to.ID]) == 1 && l.dom.Dominates(to.ID, u.Block.ID) {
				return true
			}
		}
	}
	return false
}
