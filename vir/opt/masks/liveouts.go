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
	if l.count(lp, m, out, sel) {
		l.stats.Add("lane counters", 1)
		return true
	}
	if l.sum(lp, m, out, sel) {
		l.stats.Add("sums stopped per lane", 1)
		return true
	}
	sel.Args[0] = m
	l.used(sel)
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
			kept := l.used(e.From.Append(alu.Select, out.Type, args[m.Index], v, args[out.Index]))
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

// used records the operands of the new value v as used.
func (l *liveouts) used(v *vir.Value) *vir.Value {
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
			u.Replace(v, x)
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
		case u.Edge >= 0 && &u.Block.Edges[u.Edge] == back && back.To != nil && l.onlyAt(back, v):
		case l.empty(mask, u):
		default:
			return false
		}
	}
	return true
}

// onlyAt reports whether e passes v exactly once.
func (l *liveouts) onlyAt(e *vir.Edge, v *vir.Value) bool {
	n := 0
	for _, a := range e.Args {
		if a == v {
			n++
		}
	}
	return n == 1
}

// empty reports whether mask is known to be empty at u.
func (l *liveouts) empty(mask *vir.Value, u analysis.Use) bool {
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

// count makes each lane count for itself if out tracks a counter.
func (l *liveouts) count(lp *analysis.SimpleLoop, m, out, sel *vir.Value) bool {
	v := sel.Args[1]
	if v.Op != vir.Splat {
		return false
	}
	n, updated := v.Args[0], false
	if !l.isHeadParam(lp, n) {
		n, updated = l.counterWithNext(lp, n), true
		if n == nil {
			return false
		}
	}
	step := l.step(lp, n)
	if step == nil {
		return false
	}
	// The initial n, in the lanes that enter.
	for _, e := range lp.Entry {
		args := e.Edge().Args
		l.pass(e, out, l.first(e.From, args[m.Index], args[n.Index], args[out.Index]))
	}
	b, keep, at := lp.Latch, lp.Next(m), len(lp.Latch.Values)
	if updated { // the lanes that leave have counted this iteration
		b, keep, at = lp.Head, m, 0
	}
	var steps *vir.Value
	if step.Op == vir.Const {
		steps = l.f.Const(out.Type, step.Const)
	} else {
		steps = l.used(edit.InsertValue(b, &at, vir.Splat, out.Type, step))
	}
	sum := l.used(edit.InsertValue(b, &at, alu.Add, out.Type, out, steps))
	count := l.used(edit.InsertValue(b, &at, alu.Select, out.Type, keep, sum, out))
	sum.Pos, count.Pos, count.Name = sel.Pos, sel.Pos, out.Name
	seen := out // replaces sel after the loop
	if updated {
		seen = count
	}
	to := map[*vir.Value]*vir.Value{sel: seen}
	for _, u := range l.uses[out.ID] {
		if x := u.By; x != nil && x != sel && x.Op == alu.Select && x.Args[0] == m && x.Args[2] == out && l.isCounter(lp, x.Args[1], n, step, x.Block) {
			to[x] = out
		}
	}
	for _, u := range l.uses[sel.ID] {
		// Lanes that leave at the end of an iteration have counted it.
		if x := u.By; x != nil && x.Op == alu.Select && x.Args[0] == lp.Next(m) && x.Args[2] == sel &&
			x.Args[1].Op == vir.Splat && x.Args[1].Args[0] == lp.Next(n) &&
			(updated || x.Block != lp.Latch && l.dom.Dominates(lp.Latch.ID, x.Block.ID)) {
			to[x] = count
		}
	}
	l.replace(to)
	l.pass(lp.Back, out, count)
	return true
}

// neutral maps an operation to its neutral second operand.
var neutral = map[vir.Op]func(alu.Type) uint64{
	alu.Add: noBits, alu.Sub: noBits, alu.Or: noBits, alu.Xor: noBits,
	alu.FAdd: func(t alu.Type) uint64 { return 1 << (t.Bits() - 1) }, // -0, as 0 + -0 is 0
	alu.FSub: noBits,
}

func noBits(alu.Type) uint64 { return 0 }

// sum stops a sum in lanes that have left, if out tracks one.
func (l *liveouts) sum(lp *analysis.SimpleLoop, m, out, sel *vir.Value) bool {
	v, keep, updated := sel.Args[1], lp.Next(m), false
	p := v
	if !l.isHeadParam(lp, p) { // lanes leave with the updated sum
		if p = l.paramWithNext(lp, v); p == nil {
			return false
		}
		keep, updated = m, true
	}
	grown := lp.Next(p)
	zero := neutral[grown.Op]
	if zero == nil || p == out || max(p.ID, grown.ID) >= len(l.uses) || l.cycles.InnermostCycle(grown.Block.ID) != lp.Cycle {
		return false
	}
	at := slices.Index(grown.Args, p)
	if at < 0 || at == 1 && !alu.InfoOf(grown.Op).Commutative {
		return false
	}
	x := grown.Args[1-at]
	seen := func(v *vir.Value, by ...*vir.Value) bool {
		return slices.ContainsFunc(l.uses[v.ID], func(u analysis.Use) bool {
			return !slices.Contains(by, u.By) && (u.By != nil || u.Edge < 0 || &u.Block.Edges[u.Edge] != lp.Back.Edge() || !l.onlyAt(lp.Back.Edge(), v))
		})
	}
	if x == p || seen(p, grown, sel) || seen(grown, sel) {
		return false
	}
	for _, e := range lp.Entry { // lanes that do not enter keep their tracked value
		if args := e.Edge().Args; args[p.Index] != args[out.Index] && !analysis.IsConst(args[m.Index], 1) {
			l.pass(e, p, l.used(e.From.Append(alu.Select, p.Type, args[m.Index], args[p.Index], args[out.Index])))
			args[p.Index].Pos = sel.Pos
		}
	}
	b, to := lp.Latch, p
	at = len(b.Values)
	if updated {
		b = grown.Block
		at = slices.Index(b.Values, grown) + 1
	}
	adds := l.used(edit.InsertValue(b, &at, alu.Select, p.Type, keep, x, l.f.Const(p.Type, zero(p.Type.Elem))))
	now := l.used(edit.InsertValue(b, &at, grown.Op, p.Type, p, adds))
	adds.Pos, now.Pos, now.Name = grown.Pos, grown.Pos, grown.Name
	l.pass(lp.Back, p, now)
	if updated {
		to = now
	}
	l.replace(map[*vir.Value]*vir.Value{sel: to, out: p})
	l.pass(lp.Back, out, out)
	return true
}

// paramWithNext returns the parameter of the loop's head whose next value is v.
func (l *liveouts) paramWithNext(lp *analysis.SimpleLoop, v *vir.Value) *vir.Value {
	for _, p := range lp.Head.Params {
		if lp.Next(p) == v {
			return p
		}
	}
	return nil
}

func (l *liveouts) isHeadParam(lp *analysis.SimpleLoop, n *vir.Value) bool {
	return n.Op == vir.Param && n.Block == lp.Head
}

// counterWithNext returns the counter whose next value is x.
func (l *liveouts) counterWithNext(lp *analysis.SimpleLoop, x *vir.Value) *vir.Value {
	for _, n := range lp.Head.Params {
		if lp.Next(n) == x && x.Op == alu.Add {
			return n
		}
	}
	return nil
}

// step returns the step of the scalar counter n.
func (l *liveouts) step(lp *analysis.SimpleLoop, n *vir.Value) *vir.Value {
	return analysis.StepOf(lp, n)
}

// first returns the initial value of the lanes' counter: n in the lanes of mask, old in the
// others.
func (l *liveouts) first(b *vir.Block, mask, n, old *vir.Value) *vir.Value {
	var start *vir.Value
	if n.Op == vir.Const {
		start = l.f.Const(old.Type, n.Const)
	} else {
		start = l.used(b.Append(vir.Splat, old.Type, n))
	}
	if start == old || analysis.IsConst(mask, 1) {
		return start
	}
	return l.used(b.Append(alu.Select, old.Type, mask, start, old))
}

// isCounter reports whether x, used in block b, equals n in every lane.
func (l *liveouts) isCounter(lp *analysis.SimpleLoop, x, n, step *vir.Value, b *vir.Block) bool {
	if x.Op == vir.Splat {
		return x.Args[0] == n
	}
	if x.Op != vir.Const || step.Op != vir.Const {
		return false
	}
	// x is a constant, and b is reached only when the test n < x fails: it fails first at x, as
	// n starts below and grows by one.
	for _, e := range lp.Entry {
		if first := e.Edge().Args[n.Index]; first.Op != vir.Const || step.Const != 1 || first.Signed() > x.Signed() || first.Signed() < 0 {
			return false
		}
	}
	end := l.f.Const(n.Type, x.Const)
	for _, u := range l.uses[n.ID] {
		c := u.By
		if c == nil || (c.Op != alu.Slt && c.Op != alu.Ult) || c.Args[0] != n || c.Args[1] != end || end.Signed() < 0 || int(c.ID) >= len(l.uses) {
			continue
		}
		// The test must be the head's own, or an iteration could skip it.
		if h := lp.Head; h.Cond == c && len(l.in[h.Edges[1].To.ID]) == 1 && l.dom.Dominates(h.Edges[1].To.ID, b.ID) &&
			l.cycles.Contains(lp.Cycle, h.Edges[0].To.ID) {
			return true
		}
	}
	return false
}
