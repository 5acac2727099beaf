package vectorize

import (
	"maps"
	"math/bits"
	"slices"

	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/vir"
	"github.com/simtc/simtc/vir/opt/analysis"
	"github.com/simtc/simtc/vir/opt/edit"
)

// widen inserts the vector code before the loop.
func (r *reduction) widen() {
	f, head, i64 := r.f, r.lp.Head, vir.Scalar(alu.I64)
	enter, chunk, whole, rest := f.NewBlock("rounds"), f.NewBlock("chunk"), f.NewBlock("lanes"), f.NewBlock("rest")
	start := map[*vir.Value]*vir.Value{} // loop parameter -> initial value
	var params []*vir.Value
	for _, p := range head.Params {
		start[p] = enter.NewParam(p.Type, p.Name)
		params = append(params, start[p])
	}
	for _, e := range r.lp.Entry {
		e.Edge().To = enter
	}
	iterations, enough := r.iterationsLeft(enter, start[r.K])
	last := enter.Append(alu.Add, i64, iterations, f.Const(i64, uint64(-r.lanes)))
	var none []*vir.Value
	for _, s := range r.sums {
		none = append(none, f.Const(vir.Vec(s.p.Type.Elem, r.lanes), alu.Neutral(s.op, s.p.Type.Elem)))
	}
	counters := func(of func(p *vir.Value) *vir.Value) (vs []*vir.Value) {
		for _, p := range r.counters {
			vs = append(vs, of(p))
		}
		return vs
	}
	enter.Branch(enough, vir.Edge{To: chunk, Args: slices.Concat([]*vir.Value{f.Const(i64, 0)}, counters(func(p *vir.Value) *vir.Value { return start[p] }), none)},
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
	w := r.iterationsInLanes(whole, now, all, all)
	args := []*vir.Value{whole.Append(alu.Add, i64, done, f.Const(i64, uint64(r.lanes)))}
	args = append(args, counters(func(p *vir.Value) *vir.Value {
		by := analysis.StepOf(r.lp, p).Signed() * int64(r.lanes)
		return whole.Append(alu.Add, p.Type, now[p], f.Const(p.Type, uint64(by)))
	})...)
	for i, s := range r.sums {
		args = append(args, w.add(s, sums[i]))
	}
	whole.Jump(chunk, args...)

	left := rest.Append(alu.Sub, i64, iterations, done) // at most as many as lanes
	low := rest.Append(alu.Add, i64, rest.Append(alu.Shl, i64, f.Const(i64, 1), left), f.Const(i64, ^uint64(0)))
	high := rest.Append(alu.Shl, i64, low, rest.Append(alu.Sub, i64, f.Const(i64, uint64(r.lanes)), left))
	mask := rest.Append(vir.Unbits, vir.Mask(r.lanes), low)
	w = r.iterationsInLanes(rest, now, mask, rest.Append(vir.Unbits, vir.Mask(r.lanes), high))
	end := map[*vir.Value]*vir.Value{}
	for _, p := range r.counters {
		n := iterations
		if p.Type != i64 {
			n = rest.Append(alu.Trunc, p.Type, n)
		}
		by := rest.Append(alu.Mul, p.Type, n, f.Const(p.Type, analysis.StepOf(r.lp, p).Const))
		end[p] = rest.Append(alu.Add, p.Type, start[p], by)
	}
	for i, s := range r.sums {
		t := sums[i].Type
		x := rest.Append(alu.Select, t, mask, w.add(s, sums[i]), sums[i])
		end[s.p] = rest.Append(s.op, s.p.Type, start[s.p], byHalves(rest, s.op, x))
	}
	r.finish(rest, end)
}

// finish ends b like the end of the loop with final parameters end.
func (r *reduction) finish(b *vir.Block, end map[*vir.Value]*vir.Value) {
	head := r.lp.Head
	c := edit.Copies{To: end, Blocks: map[*vir.Block]*vir.Block{head: b}}
	for _, v := range head.Values {
		x := edit.CopyValue(b, v)
		x.Args = c.Of(v.Args)
		c.To[v] = x
	}
	// Both exits reconverge before the next block, which may be a loop header.
	after, out := r.f.NewBlock("reduced"), &head.Edges[1-r.Stay]
	after.Jump(out.To, out.Args...)
	*out = vir.Edge{To: after}
	b.Jump(after)
	edit.MergeExitValues(r.f, edit.CopiedLoop{Blocks: []*vir.Block{head, r.lp.Latch}, Copies: []edit.Copies{c}})
}

// iterationsLeft returns the number of iterations left at k, and whether they are enough for vectors and end
// before k wraps.
func (r *reduction) iterationsLeft(b *vir.Block, k *vir.Value) (iterations, enough *vir.Value) {
	f, i64, bit := r.f, vir.Scalar(alu.I64), vir.Scalar(alu.I1)
	from, to := k, r.Limit
	if r.exact {
		return r.iterationsLeftExactly(b, k)
	}
	if k.Type.Elem == alu.I32 {
		extend := alu.ZExt
		if r.Signed {
			extend = alu.SExt
		}
		from, to = b.Append(extend, i64, from), b.Append(extend, i64, to)
	}
	iterations = b.Append(alu.Sub, i64, to, from)
	more := r.Step - 1
	if !r.Strict {
		more++
	}
	if more > 0 {
		iterations = b.Append(alu.Add, i64, iterations, f.Const(i64, uint64(more)))
	}
	less, atMost, greatest := alu.Ult, alu.Ule, k.Type.Elem.Mask()
	if r.Signed {
		less, atMost, greatest = alu.Slt, alu.Sle, greatest>>1
	}
	if r.Step > 1 {
		iterations = b.Append(alu.AShr, i64, iterations, f.Const(i64, uint64(bits.TrailingZeros64(uint64(r.Step)))))
	}
	enough = b.Append(alu.Sle, bit, f.Const(i64, uint64(r.minIterations())), iterations)
	if more > 0 {
		enough = b.Append(alu.And, bit, enough, b.Append(atMost, bit, r.Limit, f.Const(k.Type, greatest-uint64(more))))
	}
	if k.Type.Elem == alu.I64 { // the difference may have wrapped
		enough = b.Append(alu.And, bit, enough, b.Append(less, bit, k, r.Limit))
	}
	return iterations, enough
}

// iterationsLeftExactly does so for a loop that continues until k equals the limit, even if k wraps.
func (r *reduction) iterationsLeftExactly(b *vir.Block, k *vir.Value) (iterations, enough *vir.Value) {
	f, i64, bit := r.f, vir.Scalar(alu.I64), vir.Scalar(alu.I1)
	from, to := k, r.Limit
	if r.down {
		from, to = to, from
	}
	distance := b.Append(alu.Sub, k.Type, to, from)
	if iterations = distance; k.Type != i64 {
		iterations = b.Append(alu.ZExt, i64, distance)
	}
	if r.Step > 1 {
		iterations = b.Append(alu.LShr, i64, iterations, f.Const(i64, uint64(bits.TrailingZeros64(uint64(r.Step)))))
	}
	enough = b.Append(alu.Sle, bit, f.Const(i64, uint64(r.minIterations())), iterations)
	if r.Step > 1 { // else the loop would step over the limit
		over := b.Append(alu.And, k.Type, distance, f.Const(k.Type, uint64(r.Step-1)))
		enough = b.Append(alu.And, bit, enough, b.Append(alu.Eq, bit, over, f.Const(k.Type, 0)))
	}
	return iterations, enough
}

// iterationsInLanes starts the computation of consecutive iterations in lanes; in the first lane the counters
// are now. Loads use mask, descending ones reversed, which has the same lanes in reverse order.
func (r *reduction) iterationsInLanes(b *vir.Block, now map[*vir.Value]*vir.Value, mask, reversed *vir.Value) *vectorBody {
	return &vectorBody{r, b, mask, reversed, edit.Rematerializer{Loop: r.lp, B: b, Made: maps.Clone(now)}, nil, map[*vir.Value]*vir.Value{}}
}

type vectorBody struct {
	*reduction
	b              *vir.Block
	mask, reversed *vir.Value
	first          edit.Rematerializer       // values in the first lane
	others         []*edit.Rematerializer    // values in the other lanes
	made           map[*vir.Value]*vir.Value // vectors
}

// add returns the vector x updated by the terms of s.
func (w *vectorBody) add(s sum, x *vir.Value) *vir.Value {
	for _, t := range s.terms {
		op := s.op
		if t.minus {
			op = alu.Sub
		}
		y := w.lanesOf(t.x)
		if t.when != nil {
			arms := []*vir.Value{y, w.f.Const(y.Type, alu.Neutral(s.op, y.Type.Elem))}
			if t.unless {
				slices.Reverse(arms)
			}
			y = w.b.Append(alu.Select, y.Type, w.lanesOf(t.when), arms[0], arms[1])
		}
		x = w.b.Append(op, x.Type, x, y)
	}
	return x
}

// lanesOf returns the vector of v.
func (w *vectorBody) lanesOf(v *vir.Value) *vir.Value {
	if x := w.made[v]; x != nil {
		return x
	}
	t := vir.Vec(v.Type.Elem, w.lanes)
	var x *vir.Value
	switch {
	case v.Op == vir.Const:
		return w.f.Const(t, v.Const)
	case w.lp.Outside(v):
		x = w.b.Append(vir.Splat, t, v)
	case v.Op == vir.Param:
		steps := w.b.Append(alu.Mul, t, w.b.Append(vir.Iota, t), w.f.Const(t, analysis.StepOf(w.lp, v).Const))
		x = w.b.Append(alu.Add, t, w.b.Append(vir.Splat, t, w.first.Of(v)), steps)
	case v.Op == vir.Load:
		x = w.load(v)
	default:
		var args []*vir.Value
		for _, a := range v.Args {
			args = append(args, w.lanesOf(a))
		}
		x = w.b.Append(v.Op, t, args...)
	}
	x.Pos, x.Name, x.Origin = v.Pos, v.Name, v.Origin
	w.made[v] = x
	return x
}

// load vectorizes the load v.
func (w *vectorBody) load(v *vir.Value) *vir.Value {
	if w.gathered(v) {
		return w.gather(v)
	}
	t, by := vir.Vec(v.Type.Elem, w.lanes), w.stride(v.Args[0]).by
	at := w.first.Of(v.Args[0])
	if by == 0 {
		x := edit.CopyValue(w.b, v)
		x.Args = []*vir.Value{at}
		return w.b.Append(vir.Splat, t, x)
	}
	mask, disp := w.mask, v.Disp
	if by < 0 {
		mask, disp = w.reversed, disp+by*int64(w.lanes-1)
	}
	x := w.b.Append(vir.VLoad, t, at, mask)
	x.Disp, x.Align, x.Invariant, x.Pos, x.Origin = disp, v.Type.Elem.Size(), v.Invariant, v.Pos, v.Origin
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
