package opt

import (
	"math"
	"slices"

	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/cfg"
	"github.com/simtc/simtc/vir"
)

// shadowLanes is how many elements an array may have that is kept in a vector, too.
const shadowLanes = 16

// mostShadows is how many of them a loop may ask.
const mostShadows = 2

// mostAsked bounds the operations of a loop that asks elements.
const mostAsked = 32

// Shadows keeps small private arrays in a vector besides memory, in functions of one
// lane, and asks all elements at once what loops ask one after the other:
//
//	for (r = 0; r < row; r++) {                d = shadow - splat c
//	    d = pos[r] - c;                        any(r < row & (d == 0 | d == row - r))
//	    if (d == 0 || d == row - r) goto hit;
//	}
//
// How often such a loop goes round is what processors cannot guess, and a vector that was
// stored element by element would be loaded only when all of the stores are done. What is
// stored at a place that is computed is put into the lane whose number that is.
//
// requires: dense IDs, no unreachable blocks
// maintains: what f computes; a reducible graph stays so
func Shadows(f *vir.Func, stats Stats) {
	if f.Width != 1 || len(f.Objects) == 0 || f.Groups || f.Phases {
		return
	}
	found := 0
	tried := map[*vir.Block]bool{}
	for s := findShadows(f, tried); s != nil; s = findShadows(f, tried) {
		s.ask()
		s.keep()
		found += len(s.questions)
		Params(f, nil)
		Redundancy(f, nil)
		Dead(f, nil)
	}
	stats.add("loops that ask all elements at once", found)
}

// shadows are arrays and the loops that ask their elements.
type shadows struct {
	f         *vir.Func
	arrays    []array
	questions []*question
	changes   map[*vir.Block]bool // what stores to objects they are in
	start     *vir.Block          // the head of the loop over strips: where nothing is stored yet
}

// array is what a loop looks at: elements of one type, from a place in private memory on,
// of an object.
type array struct {
	object, from int64
	elem         alu.Type
}

// question is a loop that does nothing but to ask elements one after the other whether
// there is one of a kind.
type question struct {
	arrays   []array
	head     *vir.Block
	blocks   []*vir.Block // the others, in reverse postorder
	r, first *vir.Value   // the counter, and where it starts
	numbers  []*vir.Value // values that are the counter's
	limit    *vir.Value   // which it stays below, or at
	less     vir.Op
	inside   *vir.Block // where a round goes on behind the head's test
	yes, no  vir.Edge
	tells    bool // where the counter stops is needed

	block   *vir.Block // that asks at once
	lanes   map[*vir.Value]*vir.Value
	shadows []*vir.Value // by array
	found   *vir.Value   // the elements of the kind
}

// findShadows returns arrays that can have shadows, with all questions about just these; nil
// if there are none but those whose loops, by their heads, have been tried.
func findShadows(f *vir.Func, tried map[*vir.Block]bool) *shadows {
	g := f.Graph()
	cycles := cfg.Cycles(g)
	in, uses := inEdges(f), usesOf(f)
	position := cfg.Positions(g.ReversePostOrder(), len(f.Blocks))
	var s *shadows
	for _, c := range cycles.Cycles {
		head := f.Blocks[c.Header]
		if c.Depth < 3 || len(c.Children) > 0 || tried[head] || len(head.Params) != 1 {
			continue
		}
		q := questionOf(f, findLoop(f, cycles, in, c), uses)
		if q == nil || s != nil && (q.tells || s.questions[0].tells || !slices.Equal(q.arrays, s.arrays)) {
			continue // what one tells, another may depend on
		}
		if s == nil {
			strips := c
			for strips.Parent != nil {
				strips = strips.Parent
			}
			s = &shadows{f: f, arrays: q.arrays, start: f.Blocks[strips.Header]}
			if tried[head] = true; !s.findChanges(cycles, c) {
				s = nil
				continue
			}
		}
		slices.SortFunc(q.blocks, func(a, b *vir.Block) int { return position[a.ID] - position[b.ID] })
		s.questions = append(s.questions, q)
	}
	return s
}

// questionOf returns lp as a question, nil if it is none.
func questionOf(f *vir.Func, lp *simpleLoop, uses [][]use) *question {
	if lp == nil {
		return nil
	}
	q := &question{head: lp.head, r: lp.head.Params[0], lanes: map[*vir.Value]*vir.Value{}}
	next := lp.next(q.r)
	stays := lp.stays()
	if t := q.r.Type.Elem; stays < 0 || t != alu.I32 && t != alu.I64 || next.Op != alu.Add || next.Args[0] != q.r || next.Args[1].Op != vir.Const || next.Args[1].Const != 1 {
		return nil
	}
	q.numbers = []*vir.Value{q.r}
	q.inside, q.no = lp.head.Edges[stays].To, lp.head.Edges[1-stays]
	for i, e := range lp.entry {
		a := e.edge().Args[0]
		if a.Op != vir.Const || a.Signed() < 0 || a.Signed() > shadowLanes || i > 0 && a != q.first {
			return nil
		}
		q.first = a
	}
	operations := 0
	outside := func(u use) bool { return !lp.truth.cycles.Contains(lp.cycle, u.place()) }
	for _, id := range lp.cycle.Blocks {
		b := f.Blocks[id]
		if b != lp.head {
			q.blocks = append(q.blocks, b)
			if len(b.Params) > 0 {
				return nil
			}
		}
		operations += len(b.Values)
		for _, v := range b.Values {
			if !q.lanewise(f, v) || !q.isNumber(v) && slices.ContainsFunc(uses[v.ID], outside) {
				return nil
			}
		}
		for i, e := range b.Edges {
			leaves := !lp.truth.cycles.Contains(lp.cycle, e.To.ID)
			for _, a := range e.Args {
				if leaves && !lp.outside(a) && !q.isNumber(a) {
					return nil
				}
				q.tells = q.tells || leaves && q.isNumber(a)
			}
			switch {
			case !leaves || b == lp.head && i == 1-stays:
			case q.yes.To == nil:
				q.yes = e
			case q.yes.To != e.To || !slices.Equal(q.yes.Args, e.Args):
				return nil
			}
		}
	}
	if q.yes.To == nil || len(q.arrays) == 0 || operations > mostAsked || !q.below(lp, stays) {
		return nil
	}
	for _, v := range q.numbers {
		q.tells = q.tells || slices.ContainsFunc(uses[v.ID], outside)
	}
	// Only a number of 32 bits has lanes.
	if len(uses[lp.head.Cond.ID]) > 1 {
		return nil
	}
	for _, b := range append(q.blocks, lp.head) {
		for _, v := range b.Values {
			if v.Op.Pure() && !q.isNumber(v) && v != next && v != lp.head.Cond && slices.ContainsFunc(v.Args, func(a *vir.Value) bool {
				return a.Type.Elem == alu.I1 && a.Op != vir.Const && lp.outside(a) || q.isNumber(a) && a.Type.Elem == alu.I64
			}) && !isAddress(v, uses) {
				return nil
			}
		}
	}
	return q
}

// isAddress reports whether v serves to access memory alone.
func isAddress(v *vir.Value, uses [][]use) bool {
	return !slices.ContainsFunc(uses[v.ID], func(u use) bool {
		return u.by == nil || u.by.Op != vir.Load && (!u.by.Op.Pure() || !isAddress(u.by, uses))
	})
}

// below takes the head's test apart, which lets rounds go on in which the counter is
// below a limit, or at it.
func (q *question) below(lp *simpleLoop, stays int) bool {
	c := lp.head.Cond
	not := map[vir.Op]vir.Op{alu.Slt: alu.Sle, alu.Sle: alu.Slt, alu.Ult: alu.Ule, alu.Ule: alu.Ult} // of limit and counter: of counter and limit
	if not[c.Op] == 0 {
		return false
	}
	k := c.Args[0]
	if q.less, q.limit = c.Op, c.Args[1]; stays == 1 {
		q.less, k, q.limit = not[c.Op], c.Args[1], c.Args[0]
	}
	if k.Type.Elem == alu.I64 && q.limit.Op == alu.SExt && q.limit.Args[0].Type.Elem == alu.I32 {
		q.limit = q.limit.Args[0]
	} else if k.Type.Elem != alu.I32 {
		return false
	}
	return q.isNumber(k) && lp.outside(q.limit)
}

func (q *question) isNumber(v *vir.Value) bool { return slices.Contains(q.numbers, v) }

// lanewise reports whether v can be computed for all elements at once.
func (q *question) lanewise(f *vir.Func, v *vir.Value) bool {
	if v.Op == vir.Load {
		x := array{v.Object, v.Disp, v.Type.Elem}
		i, ok := x.place(v)
		if !ok || v.Volatile || !q.isNumber(i) || !x.elem.IsInt() || x.elem.Size() > 4 {
			return false
		}
		if !slices.Contains(q.arrays, x) {
			q.arrays = append(q.arrays, x)
		}
		k := slices.IndexFunc(f.Objects, func(o vir.Object) bool { return o.At == v.Object })
		return k >= 0 && len(q.arrays) <= mostShadows && f.Objects[k].At+f.Objects[k].Bytes <= x.from+shadowLanes*int64(x.elem.Size())
	}
	if len(v.Args) == 1 && q.isNumber(v.Args[0]) && (v.Op == alu.Trunc && v.Type.Elem == alu.I32 || (v.Op == alu.SExt || v.Op == alu.ZExt) && v.Type.Elem == alu.I64) {
		q.numbers = append(q.numbers, v)
		return true
	}
	if !v.Type.Elem.IsInt() && v.Type.Elem != alu.I1 || slices.ContainsFunc(v.Args, func(a *vir.Value) bool { return a.Type.Elem.IsFloat() }) {
		return false
	}
	switch v.Op {
	case alu.Add, alu.Sub, alu.Mul, alu.And, alu.Or, alu.Xor, alu.Shl, alu.LShr, alu.AShr, alu.SMin, alu.SMax, alu.UMin, alu.UMax, alu.Abs, alu.SExt, alu.ZExt, alu.Trunc:
		return true
	case alu.Select:
		return v.Type.Elem != alu.I1
	}
	return alu.InfoOf(v.Op).Class == alu.Compare
}

// place returns the number i of the element that v accesses, if its displacement is that
// of the array; nil is 0.
func (x array) place(v *vir.Value) (i *vir.Value, ok bool) {
	at, size := v.Args[0], int64(x.elem.Size())
	if v.Object != x.object || v.Accessed() != vir.Scalar(x.elem) {
		return nil, false
	}
	if vir.IsPrivateBase(at) {
		return nil, true
	}
	if at.Op != alu.Add {
		return nil, false
	}
	base, off := at.Args[0], at.Args[1]
	if vir.IsPrivateBase(off) {
		base, off = off, base
	}
	switch {
	case !vir.IsPrivateBase(base):
		return nil, false
	case size == 1:
		return off, true
	case off.Op == alu.Shl && off.Args[1].Op == vir.Const && int64(1)<<(off.Args[1].Const&63) == size,
		off.Op == alu.Mul && off.Args[1].Op == vir.Const && int64(off.Args[1].Const) == size:
		return off.Args[0], true
	}
	return nil, false
}

// lane returns in which lane of the shadow the element is that v stores: plus, and i if
// it is not nil.
func (x array) lane(v *vir.Value) (i *vir.Value, plus int64, ok bool) {
	if i, ok = x.place(v); !ok || v.Op != vir.Store {
		return nil, 0, false
	}
	size := int64(x.elem.Size())
	return i, (v.Disp - x.from) / size, (v.Disp-x.from)%size == 0
}

// findChanges finds the stores to the arrays and reports whether the shadows can follow, and
// it is worth it: no loop that c, which asks, is not in stores oftener than c asks.
func (s *shadows) findChanges(cycles *cfg.CycleForest, c *cfg.Cycle) bool {
	s.changes = map[*vir.Block]bool{}
	objects := newObjects(s.f)
	for _, b := range s.f.Blocks {
		for _, v := range b.Values {
			if vir.InfoOf(v.Op).Effect != vir.Writes {
				continue
			}
			if o := objects.accessed(v); v.Object == 0 && (o.field == 0 || o.field == vir.CtxScratch) {
				return false
			}
			for _, x := range s.arrays {
				if v.Object != x.object {
					continue
				}
				if _, _, ok := x.lane(v); !ok && !x.loadable(s.f, v) || v.Volatile {
					return false
				}
				if in := cycles.InnermostCycle(b.ID); in != nil && in.Depth >= c.Depth {
					return false
				}
				s.changes[b] = true
			}
		}
	}
	return true
}

// loadable reports whether the shadow can be loaded after v, which stores more than an
// element.
func (x array) loadable(f *vir.Func, v *vir.Value) bool {
	return v.Op == vir.VStore && vir.IsPrivateBase(privateBase(v.Args[0])) && x.from+shadowLanes*int64(x.elem.Size()) <= int64(f.Scratch)
}

// ask puts a block before each loop that takes its place, but does not ask yet.
func (s *shadows) ask() {
	asks := map[*vir.Block]*vir.Block{} // by the loop's head
	gone := map[*vir.Block]bool{}
	for _, q := range s.questions {
		q.block = s.f.NewBlock("ask")
		q.block.Pos = q.head.Pos
		q.block.Branch(s.f.Const(vir.Scalar(alu.I1), 0), vir.Edge{To: q.yes.To, Args: slices.Clone(q.yes.Args)}, vir.Edge{To: q.no.To, Args: slices.Clone(q.no.Args)})
		asks[q.head], gone[q.head] = q.block, true
		for _, b := range q.blocks {
			gone[b] = true
		}
	}
	for _, b := range s.f.Blocks {
		for i := range b.Edges {
			if e := &b.Edges[i]; !gone[b] && asks[e.To] != nil {
				e.To, e.Args = asks[e.To], nil
			}
		}
	}
	vir.RemoveUnreachable(s.f)
	s.f.Renumber()
}

// keep makes the shadows follow the arrays, and asks them.
func (s *shadows) keep() {
	vars := vir.NewVariables(s.f)
	for _, x := range s.arrays {
		vars.Declare(x.vector(), "shadow")
	}
	for _, b := range s.f.Blocks {
		for _, e := range b.Edges {
			vars.Connect(b, e.To)
		}
	}
	for _, b := range s.f.Blocks {
		if !s.changes[b] {
			vars.Seal(b)
		}
	}
	for k, x := range s.arrays {
		vars.Write(s.start, k, s.f.Const(x.vector(), 0))
	}
	for _, b := range s.f.Blocks {
		if s.changes[b] {
			for k, x := range s.arrays {
				vars.Write(b, k, x.follow(s.f, b, vars.Read(b, k)))
			}
		}
	}
	for _, b := range s.f.Blocks {
		vars.Seal(b)
	}
	for _, q := range s.questions {
		for k := range s.arrays {
			q.shadows = append(q.shadows, vars.Read(q.block, k))
		}
		q.answer(s.f)
	}
	vars.Finish()
	if q := s.questions[0]; q.tells {
		replaceAll(s.f, q.stops(s.f))
	}
	s.f.Renumber()
}

// vector is the type of the shadow.
func (x array) vector() vir.Type { return vir.Vec(x.elem, shadowLanes) }

// follow puts what b stores into the shadow, which is now.
func (x array) follow(f *vir.Func, b *vir.Block, now *vir.Value) *vir.Value {
	var out []*vir.Value
	for _, v := range b.Values {
		out = append(out, v)
		if vir.InfoOf(v.Op).Effect != vir.Writes || v.Object != x.object {
			continue
		}
		add := func(op vir.Op, t vir.Type, args ...*vir.Value) *vir.Value {
			n := b.NewValue(op, t, args...)
			n.Pos = v.Pos
			out = append(out, n)
			return n
		}
		i, plus, ok := x.lane(v)
		switch {
		case !ok:
			now = add(vir.VLoad, x.vector(), privateBase(v.Args[0]), f.Const(vir.Mask(shadowLanes), 1))
			now.Disp, now.Object = x.from, x.object
		case i == nil && plus >= 0 && plus < shadowLanes:
			now = add(vir.Insert, x.vector(), now, v.Args[1])
			now.Index = int(plus)
		case i != nil:
			if i.Type.Elem == alu.I64 {
				i = add(alu.Trunc, vir.Scalar(alu.I32), i)
			}
			all := add(vir.Iota, vir.Vec(alu.I32, shadowLanes))
			all.Index = int(-plus)
			here := add(alu.Eq, vir.Mask(shadowLanes), all, add(vir.Splat, all.Type, i))
			now = add(alu.Select, x.vector(), here, add(vir.Splat, x.vector(), v.Args[1]), now)
		}
	}
	b.Values = out
	return now
}

// privateBase is the address of private memory, which the address in it a is computed from.
func privateBase(a *vir.Value) *vir.Value {
	if a.Op != alu.Add || vir.IsPrivateBase(a) {
		return a
	}
	if x := privateBase(a.Args[1]); vir.IsPrivateBase(x) {
		return x
	}
	return privateBase(a.Args[0])
}

// answer makes the block ask all elements.
func (q *question) answer(f *vir.Func) {
	b := q.block
	all := vir.Vec(alu.I32, shadowLanes)
	mask := vir.Mask(shadowLanes)
	number := b.Append(vir.Iota, all)
	for _, v := range q.numbers {
		q.lanes[v] = number
	}
	on := b.Append(q.less, mask, number, q.of(f, q.limit))
	if q.first.Const > 0 {
		on = b.Append(alu.And, mask, on, b.Append(alu.Sle, mask, f.Const(all, q.first.Const), number))
	}
	// come tells which elements come to a block; for some the answer may be yes already.
	every := f.Const(mask, 1)
	both := func(x, y *vir.Value) *vir.Value {
		if x == every {
			return y
		}
		return b.Append(alu.And, mask, x, y)
	}
	either := func(x, y *vir.Value) *vir.Value {
		switch {
		case x == nil || y == every:
			return y
		case x == every:
			return x
		}
		return b.Append(alu.Or, mask, x, y)
	}
	come := map[*vir.Block]*vir.Value{q.inside: every}
	var yes *vir.Value
	for _, l := range q.blocks {
		for i, e := range l.Edges {
			m := come[l]
			if l.Kind == vir.Branch && l.Edges[1-i].To != q.yes.To {
				c := q.of(f, l.Cond)
				if i == 1 {
					c = b.Append(alu.Xor, mask, c, every)
				}
				m = both(m, c)
			}
			switch e.To {
			case q.yes.To:
				yes = either(yes, m)
			case q.head:
			default:
				come[e.To] = either(come[e.To], m)
			}
		}
	}
	q.found = both(yes, on)
	b.Cond = b.Append(vir.Any, vir.Scalar(alu.I1), q.found)
}

// stops returns what the numbers of the counter are behind the loop: the lane of the first
// element of that kind, or where the loop ends.
func (q *question) stops(f *vir.Func) map[*vir.Value]*vir.Value {
	b, i32, i64 := q.block, vir.Scalar(alu.I32), vir.Scalar(alu.I64)
	bits := b.Append(vir.Bits, i64, q.found)
	all := f.Const(i64, math.MaxUint64)
	below := b.Append(alu.And, i64, b.Append(alu.Xor, i64, bits, all), b.Append(alu.Add, i64, bits, all))
	end, later := q.limit, alu.UMax
	if q.less == alu.Sle || q.less == alu.Ule {
		end = b.Append(alu.Add, i32, end, f.Const(i32, 1))
	}
	if q.less == alu.Slt || q.less == alu.Sle {
		later = alu.SMax
	}
	end = b.Append(later, i32, end, f.Const(i32, q.first.Const))
	at := b.Append(alu.Select, i32, b.Cond, b.Append(alu.Trunc, i32, b.Append(alu.Popcount, i64, below)), end)
	to := map[*vir.Value]*vir.Value{}
	for _, v := range q.numbers {
		extend := alu.SExt
		if v.Op == alu.ZExt || v == q.r && later == alu.UMax {
			extend = alu.ZExt
		}
		if to[v] = at; v.Type.Elem == alu.I64 {
			to[v] = b.Append(extend, i64, at)
		}
	}
	return to
}

// of is v for all elements.
func (q *question) of(f *vir.Func, v *vir.Value) *vir.Value {
	if x := q.lanes[v]; x != nil {
		return x
	}
	b, t := q.block, vir.Vec(v.Type.Elem, shadowLanes)
	if v.Type.Elem == alu.I1 {
		t = vir.Mask(shadowLanes)
	}
	var x *vir.Value
	switch {
	case v.Op == vir.Const:
		return f.Const(t, v.Const)
	case v.Op == vir.Load && slices.Contains(q.blocks, v.Block):
		return q.shadows[slices.Index(q.arrays, array{v.Object, v.Disp, v.Type.Elem})]
	case v.Block == q.head || slices.Contains(q.blocks, v.Block):
		var args []*vir.Value
		for _, a := range v.Args {
			args = append(args, q.of(f, a))
		}
		x = b.Append(v.Op, t, args...)
		x.Pos = v.Pos
	default:
		x = b.Append(vir.Splat, t, v)
	}
	q.lanes[v] = x
	return x
}
