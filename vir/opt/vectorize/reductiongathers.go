package vectorize

import (
	"slices"

	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/vir"
	"github.com/simtc/simtc/vir/opt/analysis"
	"github.com/simtc/simtc/vir/opt/edit"
)

// GatherReductions does the same as Reductions for loops with loads at computed indices, such as
// a row of a sparse matrix or the neighbours of a vertex. Those loads stay scalar and are
// assembled to vectors, which is faster than a gather on some processors. The original loop runs
// the remainder, as rows may be shorter than a vector.
//
//	                       few iterations left: the original loop, else
//	for (; k < end; k++)   n at a time: sums = sums + (x[c[k]], ..., x[c[k+n-1]])
//	    sum += x[c[k]]     sum += each of sums
//	                       the original loop
//
// requires: as Reductions
// maintains: what f computes; a reducible graph stays so
func GatherReductions(f *vir.Func, stats edit.Stats) {
	stats.Add("reductions with scalar loads", reduceAll(f, true))
}

// gathered reports whether v is a load at a computed index that can be vectorized: the address
// must be computable in each iteration independently.
func (r *reduction) gathered(v *vir.Value) bool {
	return r.gathers && analysis.IsVectorizableAccess(v, vir.Load) && !r.stride(v.Args[0]).ok && r.isIndependent(v)
}

// isIndependent reports whether v can be computed for any iteration without the preceding ones.
func (r *reduction) isIndependent(v *vir.Value) bool {
	switch {
	case r.lp.Outside(v):
		return true
	case v.Op == vir.Param:
		return slices.Contains(r.counters, v)
	}
	can, known := r.independent[v]
	if !known {
		can = (v.Op.Pure() || analysis.IsVectorizableAccess(v, vir.Load)) && !slices.ContainsFunc(v.Args, func(a *vir.Value) bool { return !r.isIndependent(a) })
		r.independent[v] = can
	}
	return can
}

// gather assembles the results of v in all lanes from scalar loads.
func (w *vectorBody) gather(v *vir.Value) *vir.Value {
	half := max(16/v.Type.Elem.Size(), 2) // a load can insert into a lane of 16 bytes
	var parts []*vir.Value
	for l := range w.lanes {
		x := w.lane(l).Of(v)
		if l%half == 0 {
			parts = append(parts, w.b.Append(vir.Splat, vir.Vec(v.Type.Elem, min(half, w.lanes)), x))
			continue
		}
		last := &parts[len(parts)-1]
		*last = w.b.Append(vir.Insert, (*last).Type, *last, x)
		(*last).Index = l % half
	}
	if len(parts) == 1 {
		return parts[0]
	}
	return w.b.Append(vir.Concat, vir.Vec(v.Type.Elem, w.lanes), parts...)
}

// lane returns the rematerializer for a lane.
func (w *vectorBody) lane(l int) *edit.Rematerializer {
	if l == 0 {
		return &w.first
	}
	for len(w.others) < l {
		now, n := map[*vir.Value]*vir.Value{}, uint64(len(w.others)+1)
		for _, p := range w.counters {
			by := analysis.StepOf(w.lp, p).Const * n
			now[p] = w.b.Append(alu.Add, p.Type, w.first.Of(p), w.f.Const(p.Type, by))
		}
		w.others = append(w.others, &edit.Rematerializer{Loop: w.lp, B: w.b, Made: now})
	}
	return w.others[l-1]
}

// widenGathering inserts the vector code before the loop.
func (r *reduction) widenGathering() {
	f, head := r.f, r.lp.Head
	enter, whole, rest := f.NewBlock("rounds"), f.NewBlock("lanes"), f.NewBlock("reduced")
	for _, e := range r.lp.Entry {
		e.Edge().To = enter
	}
	start, now := map[*vir.Value]*vir.Value{}, map[*vir.Value]*vir.Value{} // by loop parameter
	var params, first, next, sums []*vir.Value
	for _, p := range head.Params {
		start[p] = enter.NewParam(p.Type, p.Name)
		params = append(params, start[p])
	}
	end := map[*vir.Value]*vir.Value{}
	for _, p := range r.counters {
		now[p] = whole.NewParam(p.Type, p.Name)
		first = append(first, start[p])
	}
	all := f.Const(vir.Mask(r.lanes), 1)
	w := r.iterationsInLanes(whole, now, all, all)
	for _, s := range r.sums {
		t := vir.Vec(s.p.Type.Elem, r.lanes)
		x := w.add(s, whole.NewParam(t, s.p.Name))
		first, sums = append(first, f.Const(t, alu.Neutral(s.op, t.Elem))), append(sums, x)
		end[s.p] = rest.Append(s.op, s.p.Type, start[s.p], byHalves(rest, s.op, x))
	}
	for _, p := range r.counters {
		by := analysis.StepOf(r.lp, p).Const * uint64(r.lanes)
		end[p] = whole.Append(alu.Add, p.Type, now[p], f.Const(p.Type, by))
		next = append(next, end[p])
	}
	iterations, enough := r.iterationsLeft(enter, start[r.K])
	last := r.last(enter, start[r.K], iterations)
	enter.Branch(enough, vir.Edge{To: whole, Args: first}, vir.Edge{To: head, Args: params})
	whole.Branch(r.continues(whole, end[r.K], last), vir.Edge{To: whole, Args: append(next, sums...)}, vir.Edge{To: rest})
	var args []*vir.Value
	for _, p := range head.Params {
		args = append(args, end[p])
	}
	rest.Jump(head, args...)
	vir.RemoveTrivialParams(f)
}

// last appends the limit of the vector loop that starts at k, with the given iterations left.
func (r *reduction) last(b *vir.Block, k, iterations *vir.Value) *vir.Value {
	f, i64 := r.f, vir.Scalar(alu.I64)
	if !r.exact { // enough iterations are left for the difference not to wrap
		return b.Append(alu.Sub, k.Type, r.Limit, f.Const(k.Type, uint64(r.Step*int64(r.lanes-1))))
	}
	whole := b.Append(alu.And, i64, iterations, f.Const(i64, uint64(-r.lanes)))
	if k.Type != i64 {
		whole = b.Append(alu.Trunc, k.Type, whole)
	}
	distance := b.Append(alu.Mul, k.Type, whole, f.Const(k.Type, analysis.StepOf(r.lp, r.K).Const))
	return b.Append(alu.Add, k.Type, k, distance)
}

// continues appends the test whether the loop continues at k with the given limit.
func (r *reduction) continues(b *vir.Block, k, limit *vir.Value) *vir.Value {
	op := alu.Ule
	switch {
	case r.exact:
		op = alu.Ne
	case r.Signed && r.Strict:
		op = alu.Slt
	case r.Signed:
		op = alu.Sle
	case r.Strict:
		op = alu.Ult
	}
	return b.Append(op, vir.Scalar(alu.I1), k, limit)
}
