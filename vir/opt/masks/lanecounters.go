package masks

import (
	"slices"

	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/vir"
	"github.com/simtc/simtc/vir/opt/analysis"
	"github.com/simtc/simtc/vir/opt/edit"
)

// countInLanes makes each lane count for itself if out tracks a counter.
func (l *liveouts) countInLanes(lp *analysis.SimpleLoop, m, out, sel *vir.Value) bool {
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
		l.pass(e, out, l.initialCounter(e.From, args[m.Index], args[n.Index], args[out.Index]))
	}
	b, keep, at := lp.Latch, lp.Next(m), len(lp.Latch.Values)
	if updated { // the lanes that leave have counted this iteration
		b, keep, at = lp.Head, m, 0
	}
	var steps *vir.Value
	if step.Op == vir.Const {
		steps = l.f.Const(out.Type, step.Const)
	} else {
		steps = l.recordUses(edit.InsertValue(b, &at, vir.Splat, out.Type, step))
	}
	sum := l.recordUses(edit.InsertValue(b, &at, alu.Add, out.Type, out, steps))
	count := l.recordUses(edit.InsertValue(b, &at, alu.Select, out.Type, keep, sum, out))
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

// stopSum stops a sum in lanes that have left, if out tracks one.
func (l *liveouts) stopSum(lp *analysis.SimpleLoop, m, out, sel *vir.Value) bool {
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
			return !slices.Contains(by, u.By) && (u.By != nil || u.Edge < 0 || &u.Block.Edges[u.Edge] != lp.Back.Edge() || !l.passedOnce(lp.Back.Edge(), v))
		})
	}
	if x == p || seen(p, grown, sel) || seen(grown, sel) {
		return false
	}
	for _, e := range lp.Entry { // lanes that do not enter keep their tracked value
		if args := e.Edge().Args; args[p.Index] != args[out.Index] && !analysis.IsConst(args[m.Index], 1) {
			l.pass(e, p, l.recordUses(e.From.Append(alu.Select, p.Type, args[m.Index], args[p.Index], args[out.Index])))
			args[p.Index].Pos = sel.Pos
		}
	}
	b, to := lp.Latch, p
	at = len(b.Values)
	if updated {
		b = grown.Block
		at = slices.Index(b.Values, grown) + 1
	}
	adds := l.recordUses(edit.InsertValue(b, &at, alu.Select, p.Type, keep, x, l.f.Const(p.Type, zero(p.Type.Elem))))
	now := l.recordUses(edit.InsertValue(b, &at, grown.Op, p.Type, p, adds))
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

// initialCounter returns the initial value of the lanes' counter: n in the lanes of mask, old in the
// others.
func (l *liveouts) initialCounter(b *vir.Block, mask, n, old *vir.Value) *vir.Value {
	var start *vir.Value
	if n.Op == vir.Const {
		start = l.f.Const(old.Type, n.Const)
	} else {
		start = l.recordUses(b.Append(vir.Splat, old.Type, n))
	}
	if start == old || analysis.IsConst(mask, 1) {
		return start
	}
	return l.recordUses(b.Append(alu.Select, old.Type, mask, start, old))
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
