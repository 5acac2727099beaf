package opt

import (
	"maps"
	"math/bits"
	"slices"

	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/cfg"
	"github.com/simtc/simtc/vir"
)

// Reductions makes rounds of a loop the lanes of vectors, in functions of one lane,
// where all that the loop does is to put integers together in an order that does
// not matter: sums, products, bits, the least and the greatest.
//
//	                      if few rounds are left: the loop, else
//	for (; k < end; k++)  n at a time: sums = sums + vload p+k
//	    sum += p[k]       the rest:    sums = m ? sums + vload p+k under m : sums
//	                      sum += each of sums
//
// Floating-point sums stay: their order matters. What is loaded lies side by side,
// upwards or downwards, or is the same each round.
//
// requires: dense IDs, no unreachable blocks
// maintains: what f computes; a reducible graph stays so
func Reductions(f *vir.Func, stats Stats) {
	if f.Width != 1 {
		return
	}
	made := map[*vir.Block]bool{} // by head
	for reduceOne(f, made) {
		f.Renumber()
	}
	if len(made) > 0 {
		stats.add("reductions", len(made))
		Redundancy(f, nil)
		Dead(f, nil)
	}
}

// reduceOne widens one loop that is not among those made, and adds it to them.
func reduceOne(f *vir.Func, made map[*vir.Block]bool) bool {
	cycles := cfg.Cycles(f.Graph())
	var in [][]inEdge
	var uses [][]use
	for _, c := range cycles.Cycles {
		if len(c.Children) > 0 || len(c.Blocks) != 2 || c.Depth == 1 || made[f.Blocks[c.Header]] {
			continue
		}
		if in == nil {
			in, uses = inEdges(f), usesOf(f)
		}
		if r := findReduction(f, findLoop(f, cycles, in, c), uses); r != nil {
			made[r.lp.head] = true
			r.widen()
			return true
		}
	}
	return false
}

const (
	reducedBytes   = 64 // of a vector of the largest numbers
	mostReduced    = 48 // operations of a loop
	fewestReduced  = 4  // lanes
	leastToReduce  = 8  // rounds, or half of the lanes if that is less
	mostReduceStep = 64 // by which a counter goes up
)

// reduction is a loop of a head that tests and a block, and what it puts together.
type reduction struct {
	f  *vir.Func
	lp *simpleLoop
	counting
	uses [][]use

	counters []*vir.Value // parameters that go up by what stays
	sums     []sum
	lanes    int

	strides map[*vir.Value]stride
}

// sum is a parameter of the loop's head that each round adds terms to.
type sum struct {
	p     *vir.Value
	op    vir.Op // Add where it is subtracted from, too
	terms []term
}

// stride is by how much a number goes up from round to round.
type stride struct {
	by int64
	ok bool
}

// findReduction returns lp as a reduction, nil if it is none.
func findReduction(f *vir.Func, lp *simpleLoop, uses [][]use) *reduction {
	if lp == nil || lp.head == lp.latch || lp.latch.Kind != vir.Jump || len(lp.latch.Params) > 0 {
		return nil
	}
	r := &reduction{f: f, lp: lp, counting: lp.counting(), uses: uses, strides: map[*vir.Value]stride{}}
	if r.k == nil || r.step > mostReduceStep || bits.OnesCount64(uint64(r.step)) != 1 || len(lp.head.Values)+len(lp.latch.Values) > mostReduced {
		return nil
	}
	for _, p := range lp.head.Params {
		if by := stepOf(lp, p); by != nil && by.Op == vir.Const && p.Type.Elem.IsInt() {
			r.counters = append(r.counters, p)
		} else if s, ok := r.sum(p); ok {
			r.sums = append(r.sums, s)
		} else {
			return nil
		}
	}
	if n := r.rounds(lp); len(r.sums) == 0 || !r.loadsInRows() || n > 0 && n < r.least() {
		return nil
	}
	return r
}

// least is how many rounds there must be at least.
func (r *reduction) least() int64 { return int64(min(leastToReduce, r.lanes/2)) }

// sum returns how p is put together.
func (r *reduction) sum(p *vir.Value) (s sum, ok bool) {
	next := r.lp.next(p)
	s = sum{p: p, op: next.Op}
	if s.op == alu.Sub {
		s.op = alu.Add
	}
	if combining[s.op] == nil || !p.Type.IsScalar() || !p.Type.Elem.IsInt() {
		return s, false
	}
	v := next
	for v != p {
		own := 0 // the operand that leads to p
		switch {
		case v.Op != s.op && !(v.Op == alu.Sub && s.op == alu.Add) || r.lp.outside(v) || !r.usedOnce(v):
			return s, false
		case v.Op != alu.Sub && !r.leads(v.Args[0], p, s.op):
			own = 1
		}
		s.terms = append(s.terms, term{v.Args[1-own], v.Op == alu.Sub})
		v = v.Args[own]
	}
	return s, r.usedOnce(p)
}

// leads reports whether v is p, or a sum that it is in.
func (r *reduction) leads(v, p *vir.Value, op vir.Op) bool {
	for !r.lp.outside(v) {
		switch {
		case v == p:
			return true
		case v.Op == vir.Param || v.Op != op && !(v.Op == alu.Sub && op == alu.Add):
			return false
		case v.Op != alu.Sub && r.leads(v.Args[1], p, op):
			return true
		}
		v = v.Args[0]
	}
	return false
}

// usedOnce reports whether the loop uses v in one place.
func (r *reduction) usedOnce(v *vir.Value) bool {
	n := 0
	for _, u := range r.uses[v.ID] {
		if u.block == r.lp.latch || u.block == r.lp.head && u.by != nil {
			n++
		}
	}
	return n == 1
}

// loadsInRows reports whether all that the sums need can be computed for several
// rounds at once, and finds for how many.
func (r *reduction) loadsInRows() bool {
	largest, rows := 0, 0
	seen := map[*vir.Value]bool{}
	var needs func(v *vir.Value) bool
	needs = func(v *vir.Value) bool {
		if seen[v] {
			return true
		}
		seen[v] = true
		if v.Type.Elem != alu.I1 {
			largest = max(largest, v.Type.Elem.Size())
		}
		switch {
		case r.lp.outside(v):
			return true
		case v.Op == vir.Param:
			return slices.Contains(r.counters, v)
		case v.Op == vir.Load:
			s := r.stride(v.Args[0])
			if s.by != 0 {
				rows++
			}
			size := int64(v.Type.Elem.Size())
			return s.ok && (s.by == 0 || s.by == size || s.by == -size) && isPackable(v, vir.Load)
		case !isLanewise(v.Op) || !v.Type.IsScalar():
			return false
		}
		return !slices.ContainsFunc(v.Args, func(a *vir.Value) bool { return !needs(a) })
	}
	for _, s := range r.sums {
		largest = max(largest, s.p.Type.Elem.Size())
		for _, t := range s.terms {
			if !needs(t.x) {
				return false
			}
		}
	}
	for _, v := range r.lp.head.Values {
		if !v.Op.Pure() { // it is also run when the loop ends
			return false
		}
	}
	for _, v := range r.lp.latch.Values {
		if !v.Op.Pure() && !seen[v] {
			return false
		}
	}
	r.lanes = reducedBytes / largest
	return rows > 0 && r.lanes >= fewestReduced
}

// stride finds by how much v, an address or part of one, goes up each round. An
// index that wraps would leave the object that is accessed each round.
func (r *reduction) stride(v *vir.Value) stride {
	if s, ok := r.strides[v]; ok {
		return s
	}
	s := r.newStride(v)
	if s.by != int64(int32(s.by)) {
		s.ok = false
	}
	r.strides[v] = s
	return s
}

func (r *reduction) newStride(v *vir.Value) stride {
	if r.lp.outside(v) {
		return stride{0, true}
	}
	if v.Op == vir.Param {
		if slices.Contains(r.counters, v) {
			return stride{stepOf(r.lp, v).Signed(), true}
		}
		return stride{}
	}
	arg := func(i int) stride { return r.stride(v.Args[i]) }
	if v.Op.Pure() && !slices.ContainsFunc(v.Args, func(a *vir.Value) bool { return r.stride(a) != stride{0, true} }) {
		return stride{0, true}
	}
	switch v.Op {
	case alu.Add:
		a, b := arg(0), arg(1)
		return stride{a.by + b.by, a.ok && b.ok}
	case alu.Sub:
		a, b := arg(0), arg(1)
		return stride{a.by - b.by, a.ok && b.ok}
	case alu.Shl, alu.Mul:
		a, c := arg(0), v.Args[1]
		if c.Op != vir.Const {
			break
		}
		by := c.Signed()
		if v.Op == alu.Shl {
			by = 1 << (c.Const % 32)
		}
		return stride{a.by * by, a.ok && by == int64(int32(by))}
	case alu.SExt, alu.ZExt:
		if v.Args[0].Type.Elem == alu.I32 {
			return arg(0)
		}
	}
	return stride{}
}

// widen puts the vectors before the loop.
func (r *reduction) widen() {
	f, head, i64 := r.f, r.lp.head, vir.Scalar(alu.I64)
	enter, chunk, whole, rest := f.NewBlock("rounds"), f.NewBlock("chunk"), f.NewBlock("lanes"), f.NewBlock("rest")
	start := map[*vir.Value]*vir.Value{} // of the loop's parameters
	var params []*vir.Value
	for _, p := range head.Params {
		start[p] = enter.NewParam(p.Type, p.Name)
		params = append(params, start[p])
	}
	for _, e := range r.lp.entry {
		e.edge().To = enter
	}
	rounds, some := r.left(enter, start[r.k])
	last := enter.Append(alu.Add, i64, rounds, f.Const(i64, uint64(-r.lanes)))
	var none []*vir.Value
	for _, s := range r.sums {
		none = append(none, f.Const(vir.Vec(s.p.Type.Elem, r.lanes), combining[s.op](s.p.Type.Elem)))
	}
	counters := func(of func(p *vir.Value) *vir.Value) (vs []*vir.Value) {
		for _, p := range r.counters {
			vs = append(vs, of(p))
		}
		return vs
	}
	enter.Branch(some, vir.Edge{To: chunk, Args: slices.Concat([]*vir.Value{f.Const(i64, 0)}, counters(func(p *vir.Value) *vir.Value { return start[p] }), none)},
		vir.Edge{To: head, Args: params})

	done := chunk.NewParam(i64, "round")
	now := map[*vir.Value]*vir.Value{}
	for _, p := range r.counters {
		now[p] = chunk.NewParam(p.Type, p.Name)
	}
	var sums []*vir.Value
	for _, s := range r.sums {
		sums = append(sums, chunk.NewParam(vir.Vec(s.p.Type.Elem, r.lanes), s.p.Name))
	}
	chunk.Branch(chunk.Append(alu.Sle, vir.Scalar(alu.I1), done, last), vir.Edge{To: whole}, vir.Edge{To: rest})

	all := f.Const(vir.Mask(r.lanes), 1)
	w := r.round(whole, now, all, all)
	args := []*vir.Value{whole.Append(alu.Add, i64, done, f.Const(i64, uint64(r.lanes)))}
	args = append(args, counters(func(p *vir.Value) *vir.Value {
		by := stepOf(r.lp, p).Signed() * int64(r.lanes)
		return whole.Append(alu.Add, p.Type, now[p], f.Const(p.Type, uint64(by)))
	})...)
	for i, s := range r.sums {
		args = append(args, w.add(s, sums[i]))
	}
	whole.Jump(chunk, args...)

	left := rest.Append(alu.Sub, i64, rounds, done) // fewer than lanes
	low := rest.Append(alu.Add, i64, rest.Append(alu.Shl, i64, f.Const(i64, 1), left), f.Const(i64, ^uint64(0)))
	high := rest.Append(alu.Shl, i64, low, rest.Append(alu.Sub, i64, f.Const(i64, uint64(r.lanes)), left))
	mask := rest.Append(vir.Unbits, vir.Mask(r.lanes), low)
	w = r.round(rest, now, mask, rest.Append(vir.Unbits, vir.Mask(r.lanes), high))
	end := map[*vir.Value]*vir.Value{}
	for _, p := range r.counters {
		n := rounds
		if p.Type != i64 {
			n = rest.Append(alu.Trunc, p.Type, n)
		}
		by := rest.Append(alu.Mul, p.Type, n, f.Const(p.Type, stepOf(r.lp, p).Const))
		end[p] = rest.Append(alu.Add, p.Type, start[p], by)
	}
	for i, s := range r.sums {
		t := sums[i].Type
		x := rest.Append(alu.Select, t, mask, w.add(s, sums[i]), sums[i])
		end[s.p] = rest.Append(s.op, s.p.Type, start[s.p], byHalves(rest, s.op, x))
	}
	r.leave(rest, end)
}

// leave ends b as the loop ends when its parameters have become those of end.
func (r *reduction) leave(b *vir.Block, end map[*vir.Value]*vir.Value) {
	head := r.lp.head
	c := copies{end, map[*vir.Block]*vir.Block{head: b}}
	for _, v := range head.Values {
		x := copyOf(b, v)
		x.Args = c.of(v.Args)
		c.to[v] = x
	}
	// Both ways out meet before whatever comes next, which may be a loop, too.
	after, out := r.f.NewBlock("reduced"), &head.Edges[1-r.stay]
	after.Jump(out.To, out.Args...)
	*out = vir.Edge{To: after}
	b.Jump(after)
	inside := func(b *vir.Block) bool { return b == head || b == r.lp.latch }
	mergeLeaving(r.f, inside, []copies{c})
}

// left returns how many rounds are left at k, and whether those are enough and end
// before k wraps.
func (r *reduction) left(b *vir.Block, k *vir.Value) (rounds, some *vir.Value) {
	f, i64, bit := r.f, vir.Scalar(alu.I64), vir.Scalar(alu.I1)
	from, to := k, r.limit
	if k.Type.Elem == alu.I32 {
		extend := alu.ZExt
		if r.signed {
			extend = alu.SExt
		}
		from, to = b.Append(extend, i64, from), b.Append(extend, i64, to)
	}
	rounds = b.Append(alu.Sub, i64, to, from)
	more := r.step - 1
	if !r.strict {
		more++
	}
	if more > 0 {
		rounds = b.Append(alu.Add, i64, rounds, f.Const(i64, uint64(more)))
	}
	less, atMost, greatest := alu.Ult, alu.Ule, k.Type.Elem.Mask()
	if r.signed {
		less, atMost, greatest = alu.Slt, alu.Sle, greatest>>1
	}
	if r.step > 1 {
		rounds = b.Append(alu.AShr, i64, rounds, f.Const(i64, uint64(bits.TrailingZeros64(uint64(r.step)))))
	}
	some = b.Append(alu.Sle, bit, f.Const(i64, uint64(r.least())), rounds)
	if more > 0 {
		some = b.Append(alu.And, bit, some, b.Append(atMost, bit, r.limit, f.Const(k.Type, greatest-uint64(more))))
	}
	if k.Type.Elem == alu.I64 { // where the difference may have wrapped
		some = b.Append(alu.And, bit, some, b.Append(less, bit, k, r.limit))
	}
	return rounds, some
}

// round computes a round in each lane, of which the first has the counters now. It
// loads under mask, and what lies downwards under the same lanes reversed.
func (r *reduction) round(b *vir.Block, now map[*vir.Value]*vir.Value, mask, reversed *vir.Value) *lanesOfRounds {
	return &lanesOfRounds{r, b, mask, reversed, remaker{r.lp, b, maps.Clone(now)}, map[*vir.Value]*vir.Value{}}
}

type lanesOfRounds struct {
	*reduction
	b              *vir.Block
	mask, reversed *vir.Value
	first          remaker                   // makes values of the loop in the first lane
	made           map[*vir.Value]*vir.Value // in all lanes
}

// add returns what the sums become.
func (w *lanesOfRounds) add(s sum, x *vir.Value) *vir.Value {
	for _, t := range s.terms {
		op := s.op
		if t.minus {
			op = alu.Sub
		}
		x = w.b.Append(op, x.Type, x, w.lanesOf(t.x))
	}
	return x
}

// lanesOf computes v in all lanes.
func (w *lanesOfRounds) lanesOf(v *vir.Value) *vir.Value {
	if x := w.made[v]; x != nil {
		return x
	}
	t := vir.Vec(v.Type.Elem, w.lanes)
	var x *vir.Value
	switch {
	case v.Op == vir.Const:
		return w.f.Const(t, v.Const)
	case w.lp.outside(v):
		x = w.b.Append(vir.Splat, t, v)
	case v.Op == vir.Param:
		steps := w.b.Append(alu.Mul, t, w.b.Append(vir.Iota, t), w.f.Const(t, stepOf(w.lp, v).Const))
		x = w.b.Append(alu.Add, t, w.b.Append(vir.Splat, t, w.first.of(v)), steps)
	case v.Op == vir.Load:
		x = w.load(v)
	default:
		var args []*vir.Value
		for _, a := range v.Args {
			args = append(args, w.lanesOf(a))
		}
		x = w.b.Append(v.Op, t, args...)
	}
	x.Pos, x.Name = v.Pos, v.Name
	w.made[v] = x
	return x
}

// load loads what v does in all rounds.
func (w *lanesOfRounds) load(v *vir.Value) *vir.Value {
	t, by := vir.Vec(v.Type.Elem, w.lanes), w.stride(v.Args[0]).by
	at := w.first.of(v.Args[0])
	if by == 0 {
		x := copyOf(w.b, v)
		x.Args = []*vir.Value{at}
		return w.b.Append(vir.Splat, t, x)
	}
	mask, disp := w.mask, v.Disp
	if by < 0 {
		mask, disp = w.reversed, disp+by*int64(w.lanes-1)
	}
	x := w.b.Append(vir.VLoad, t, at, mask)
	x.Disp, x.Align, x.Invariant, x.Pos = disp, v.Type.Elem.Size(), v.Invariant, v.Pos
	if v.Align < x.Align {
		x.Align = v.Align
	}
	if by > 0 {
		return x
	}
	y := w.b.Append(vir.Shuffle, t, x, x)
	for i := range w.lanes {
		y.Lanes = append(y.Lanes, w.lanes-1-i)
	}
	return y
}
