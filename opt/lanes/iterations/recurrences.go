package iterations

import (
	"slices"

	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/kernel"
	"github.com/simtc/simtc/opt"
	"github.com/simtc/simtc/opt/dependence"
)

// recurrence is a parameter of the header whose value in a lane comes from the lane before: in the
// first lane it is carried from the previous chunk (the first-order recurrences of LLVM's
// vectorizer).
//
//	y = x - p; p = x;               p is x of the lane before: a splice
//	p += x; y = p;                  p is a sum over the lanes before: a scan
//	if (c) { a[p] = y; p++; }       likewise, of 1 where c holds
//	p = c ? x : p + z;              p is a sum over the lanes from the last one before where c holds
//	if (c) p = x;                   p is x of that lane
type recurrence struct {
	p     *kernel.Value
	op    kernel.Op     // of a scan; Invalid: p is spliced, or is kept except where reset
	x     *kernel.Value // the operand of the scan, or the value that is spliced; nil: p is kept
	cond  *kernel.Value // x counts only where cond is holds; nil: always
	holds bool
	reset *kernel.Value // p becomes fresh where reset is sets; nil: nowhere
	sets  bool
	fresh *kernel.Value
	joins bool          // it becomes fresh combined with x
	at    *kernel.Block // where the values of p are computed; it dominates all uses

	carried, after *kernel.Value // p in the first lane of the chunk; its next values in ended
	total          *kernel.Value // of a counter: p after the chunk if no lane exits
}

// recurrenceOf returns the recurrence of the parameter v, or nil.
func (l *loop) recurrenceOf(v *kernel.Value) *recurrence {
	i := slices.IndexFunc(l.recurrences, func(r *recurrence) bool { return r.p == v })
	if i < 0 {
		return nil
	}
	return l.recurrences[i]
}

// takeRecurrences removes the parameters that are recurrences from params.
func (l *loop) takeRecurrences(params []*kernel.Value) []*kernel.Value {
	for {
		n := len(params)
		params = slices.DeleteFunc(slices.Clone(params), func(p *kernel.Value) bool {
			r := l.recurrence(p)
			if r == nil || !l.placeable(r, params) {
				return false
			}
			l.recurrences = append(l.recurrences, r)
			return true
		})
		if len(params) == n {
			return params
		}
	}
}

// recurrence decomposes the next value of p.
func (l *loop) recurrence(p *kernel.Value) *recurrence {
	if !p.Type.IsInt() && !p.Type.IsFloat() || p.Type.IsInt() && p.Type.Bits() < 8 {
		return nil
	}
	v := l.passed(p)
	switch {
	case !l.inside(v.Block):
		return nil
	case l.scans(p, v) != nil:
		return &recurrence{p: p, op: v.Op, x: l.scans(p, v), at: v.Block}
	}
	if r := l.oneOf(p, v); r != nil {
		return r
	}
	if l.combinable(p, v) {
		for i, q := range v.Args {
			if r := l.oneOf(p, q); r != nil && r.op == alu.Invalid {
				r.op, r.x, r.joins = v.Op, v.Args[1-i], true
				return r
			}
		}
	}
	if v.Op == kernel.Param && v.Block != l.header {
		return nil
	}
	return &recurrence{p: p, x: v, at: v.Block}
}

// oneOf returns p as a recurrence whose next value is v, if v is chosen by a condition.
func (l *loop) oneOf(p, v *kernel.Value) *recurrence {
	switch {
	case !l.inside(v.Block):
	case v.Op == alu.Select:
		return l.chosen(p, v.Args[1], v.Args[2], v.Args[0], v.Block)
	case v.Op == kernel.Param && v.Block != l.header:
		return l.conditional(p, v)
	}
	return nil
}

// combinable reports whether v is the result of an operation that a scan of values like p may use.
func (l *loop) combinable(p, v *kernel.Value) bool {
	return v.Type == p.Type && (p.Type.IsInt() && alu.Combines(v.Op) || p.Type.IsFloat() && l.f.Reassociate && alu.CombinesFloats(v.Op))
}

// chosen returns p as a recurrence if its next value is a where cond holds and else b, one of which is p
// or p combined with an operand.
func (l *loop) chosen(p, a, b, cond *kernel.Value, at *kernel.Block) *recurrence {
	x, y := l.scans(p, a), l.scans(p, b)
	switch {
	case a == b:
	case b == p && x != nil:
		return &recurrence{p: p, op: a.Op, x: x, cond: cond, holds: true, at: at}
	case a == p && y != nil:
		return &recurrence{p: p, op: b.Op, x: y, cond: cond, at: at}
	case y != nil:
		return &recurrence{p: p, op: b.Op, x: y, reset: cond, sets: true, fresh: a, at: at}
	case x != nil:
		return &recurrence{p: p, op: a.Op, x: x, reset: cond, fresh: b, at: at}
	case b == p:
		return &recurrence{p: p, reset: cond, sets: true, fresh: a, at: at}
	case a == p:
		return &recurrence{p: p, reset: cond, fresh: b, at: at}
	}
	return nil
}

// scans returns the operand that v combines with p, or nil.
func (l *loop) scans(p, v *kernel.Value) *kernel.Value {
	switch {
	case !l.combinable(p, v):
		return nil
	case v.Args[0] == p && v.Args[1] != p:
		return v.Args[1]
	case v.Args[1] == p && v.Args[0] != p:
		return v.Args[0]
	}
	return nil
}

// conditional returns p as a recurrence if v merges values of p from a branch and its arms.
func (l *loop) conditional(p, v *kernel.Value) *recurrence {
	in := l.in[v.Block.ID]
	if len(in) != 2 {
		return nil
	}
	for _, branch := range []*kernel.Block{in[0].From, l.armOf(in[0].From).From} {
		if branch == nil || branch.Kind != kernel.Branch {
			continue
		}
		var of [2]*kernel.Value // the values on the two sides of the branch
		for _, e := range in {
			if x := e.Edge().Args[v.Index]; e.From == branch {
				of[e.N] = x
			} else if arm := l.armOf(e.From); arm.From == branch {
				of[arm.N] = x
			}
		}
		if of[0] != nil && of[1] != nil {
			return l.chosen(p, of[0], of[1], branch.Cond, branch)
		}
	}
	return nil
}

// armOf returns the edge of a branch that alone leads to b, if b then jumps.
func (l *loop) armOf(b *kernel.Block) opt.InEdge {
	if in := l.in[b.ID]; b.Kind == kernel.Jump && len(in) == 1 && in[0].From.Kind == kernel.Branch {
		return in[0]
	}
	return opt.InEdge{}
}

// placeable reports whether the values of r's parameter can be computed before all uses: the operands
// do not depend on parameters that come from other lanes, and can be computed first in their block.
func (l *loop) placeable(r *recurrence, others []*kernel.Value) bool {
	if !l.dom.Dominates(r.at.ID, l.back.From.ID) || l.loops.InnermostCycle(r.at.ID) != l.cycle {
		return false
	}
	early, ok := l.early(r)
	if !ok {
		return false
	}
	// Recurrences that were found before are computed first.
	unknown := func(a *kernel.Value) bool {
		q := l.recurrenceOf(a)
		return slices.Contains(others, a) || l.sumOf(a) != nil || q != nil && !l.dom.Dominates(q.at.ID, r.at.ID)
	}
	for v := range early {
		if slices.ContainsFunc(v.Args, unknown) {
			return false
		}
	}
	for _, a := range r.operands() {
		if unknown(a) || l.inside(a.Block) && !l.dom.Dominates(a.Block.ID, r.at.ID) {
			return false
		}
	}
	for _, id := range l.cycle.Blocks {
		b := l.f.Blocks[id]
		if b == r.at || l.dom.Dominates(r.at.ID, b.ID) {
			continue
		}
		uses := b.Cond == r.p
		for _, v := range b.Values {
			uses = uses || slices.Contains(v.Args, r.p)
		}
		for _, e := range b.Edges {
			uses = uses || l.inside(e.To) && slices.Contains(e.Args, r.p)
		}
		if uses {
			return false
		}
	}
	return true
}

// operands lists the values that determine the parameter in the next lane.
func (r *recurrence) operands() []*kernel.Value {
	return slices.DeleteFunc([]*kernel.Value{r.x, r.cond, r.reset, r.fresh}, func(v *kernel.Value) bool { return v == nil })
}

// early returns the operations of r's block that its operands depend on. It fails if one of them is
// no pure operation or load.
func (l *loop) early(r *recurrence) (map[*kernel.Value]bool, bool) {
	early, ok := map[*kernel.Value]bool{}, true
	var add func(v *kernel.Value)
	add = func(v *kernel.Value) {
		if v.Block != r.at || v.Op == kernel.Param || early[v] {
			return
		}
		early[v] = true
		ok = ok && (v.Op.Pure() || v.Op == kernel.PtrAdd || v.Op == kernel.Load)
		for _, a := range v.Args {
			add(a)
		}
	}
	for _, v := range r.operands() {
		add(v)
	}
	return early, ok
}

// movable reports whether loads that the operands of recurrences depend on may run before the stores
// that precede them in their block.
func (l *loop) movable() bool {
	for _, r := range l.recurrences {
		early, _ := l.early(r)
		for i, v := range r.at.Values {
			if v.Op != kernel.Store || l.storesOwn(v) {
				continue
			}
			for _, w := range r.at.Values[i+1:] {
				if early[w] && w.Op == kernel.Load && (l.deps.MayMeet(v, w) || l.follows(v, w)) {
					return false
				}
			}
		}
		for _, v := range r.at.Values {
			if early[v] && v.Op == kernel.Load && private(v.Args[0]) && l.stores() {
				return false
			}
		}
	}
	return true
}

// follows reports whether w depends on v in an earlier iteration, as it runs after v.
func (l *loop) follows(v, w *kernel.Value) bool {
	return slices.ContainsFunc(l.ordered, func(d dependence.Dependence) bool { return d.From == v && d.To == w })
}

// compute adds the values of r's parameter to c, the copy of its block after the operands.
func (r *recurrence) compute(l *loop, c *kernel.Block) {
	f, lane := l.f, l.lane
	before := func(x *kernel.Value, d int, none *kernel.Value) *kernel.Value {
		from := c.Append(alu.Sub, alu.I32, lane, f.Const(alu.I32, uint64(d)))
		reaches := c.Append(alu.Ule, alu.I1, f.Const(alu.I32, uint64(d)), lane)
		return c.Append(alu.Select, x.Type, reaches, l.inLaneOf(c, x, from), none)
	}
	if r.op == alu.Invalid && r.reset == nil {
		l.now[r.p] = before(l.of(r.x), 1, r.carried)
		return
	}
	if r.counts() {
		r.count(l, c)
		return
	}
	combine := func(x, y *kernel.Value) *kernel.Value {
		if r.op == alu.Invalid {
			return x
		}
		return c.Append(r.op, x.Type, x, y)
	}
	none := f.Const(r.p.Type, 0)
	if r.op != alu.Invalid {
		none = f.Const(r.p.Type, alu.Neutral(r.op, r.p.Type))
	}
	x := none
	switch {
	case r.x == nil:
	case r.cond == nil:
		x = l.of(r.x)
	case r.holds:
		x = c.Append(alu.Select, none.Type, l.of(r.cond), l.of(r.x), none)
	default:
		x = c.Append(alu.Select, none.Type, l.of(r.cond), none, l.of(r.x))
	}
	if r.reset == nil {
		for d := 1; d < l.o.Width; d *= 2 {
			x = combine(before(x, d, none), x)
		}
		l.now[r.p] = combine(r.carried, before(x, 1, none))
		return
	}
	// A scan of pairs: whether a lane is reset, and its value (Blelloch, "Prefix Sums and Their
	// Applications", section 1.5).
	no := f.Const(alu.I1, 0)
	set := l.of(r.reset)
	if !r.sets {
		set = c.Append(alu.Xor, alu.I1, set, f.Const(alu.I1, 1))
	}
	fresh := l.of(r.fresh)
	if r.joins {
		fresh = combine(fresh, x)
	}
	x = c.Append(alu.Select, none.Type, set, fresh, x)
	for d := 1; d < l.o.Width; d *= 2 {
		x = c.Append(alu.Select, none.Type, set, x, combine(before(x, d, none), x))
		set = c.Append(alu.Or, alu.I1, set, before(set, d, no))
	}
	x, set = before(x, 1, none), before(set, 1, no)
	l.now[r.p] = c.Append(alu.Select, none.Type, set, x, combine(r.carried, x))
}

// counts reports whether the parameter grows by a constant where a condition holds.
func (r *recurrence) counts() bool {
	return r.op == alu.Add && r.cond != nil && r.reset == nil && r.x.Op == kernel.Const && r.p.Type.IsInt()
}

// count is compute for a counter: the number of lanes that increment it, among all lanes and among
// those below each, follows from a ballot without a scan.
func (r *recurrence) count(l *loop, c *kernel.Block) {
	f, cond := l.f, l.of(r.cond)
	if !r.holds {
		cond = c.Append(alu.Xor, alu.I1, cond, f.Const(alu.I1, 1))
	}
	some := c.Append(kernel.Ballot, alu.I64, cond)
	bit := c.Append(alu.Shl, alu.I64, f.Const(alu.I64, 1), c.Append(alu.ZExt, alu.I64, l.lane))
	below := c.Append(alu.And, alu.I64, some, c.Append(alu.Sub, alu.I64, bit, f.Const(alu.I64, 1)))
	after := func(lanes *kernel.Value) *kernel.Value {
		n := c.Append(alu.Popcount, alu.I64, lanes)
		if n.Type != r.p.Type {
			n = c.Append(alu.Trunc, r.p.Type, n)
		}
		return c.Append(alu.Add, n.Type, r.carried, c.Append(alu.Mul, n.Type, n, f.Const(n.Type, r.x.Const)))
	}
	l.now[r.p], r.total = after(below), after(some)
}

// in returns in b the value of r's parameter in a lane, which the lane before has computed.
func (r *recurrence) in(l *loop, b *kernel.Block, lane *kernel.Value) *kernel.Value {
	before := l.inLaneOf(b, r.after, b.Append(alu.Sub, alu.I32, lane, l.f.Const(alu.I32, 1)))
	return b.Append(alu.Select, r.p.Type, b.Append(alu.Eq, alu.I1, lane, l.f.Const(alu.I32, 0)), r.carried, before)
}

// increasing returns the parameters of the header that a block increments by a positive constant
// whenever it runs, and nothing else changes: counters of a condition.
func (l *loop) increasing() map[*kernel.Value]*kernel.Block {
	out := map[*kernel.Value]*kernel.Block{}
	for _, r := range l.recurrences {
		v := l.passed(r.p)
		if !r.counts() || r.x.Type.Signed(r.x.Const) <= 0 || r.x.Const > 1<<16 || v.Op != kernel.Param {
			continue
		}
		i := slices.IndexFunc(l.in[v.Block.ID], func(e opt.InEdge) bool { return e.Edge().Args[v.Index] != r.p })
		out[r.p] = l.in[v.Block.ID][i].From
	}
	return out
}
