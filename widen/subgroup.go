package widen

import (
	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/kernel"
	"github.com/simtc/simtc/vir"
)

// A strip is a sub-group: its lanes are those of the vector, its active lanes those of
// the mask.

// ballot returns a number with the bits of the active lanes where v is true.
func (w *Widener) ballot(v *kernel.Value, mask *vir.Value) {
	i64 := vir.Scalar(alu.I64)
	if w.W == 1 {
		w.Define(v, w.append(alu.ZExt, i64, w.Value(v.Args[0])))
		return
	}
	w.define(v, w.append(vir.Bits, i64, w.And(mask, w.Vec(v.Args[0]))))
}

// define defines a scalar, in all lanes if v is kept as a vector.
func (w *Widener) define(v *kernel.Value, x *vir.Value) {
	if t := w.TypeOf(v); t.Lanes > 1 {
		x = w.append(vir.Splat, t, x)
	}
	w.Define(v, x)
}

// shuffle gives each lane the value of another lane: by a constant permutation, or through memory.
func (w *Widener) shuffle(v *kernel.Value, mask *vir.Value) {
	one, t := vir.Scalar(v.Type), vir.Vec(v.Type, w.W)
	if w.W == 1 {
		none := w.F.Const(one, 0)
		first := w.append(alu.Eq, vir.Scalar(alu.I1), w.Value(v.Args[1]), w.F.Const(vir.Scalar(alu.I32), 0))
		w.Define(v, w.append(alu.Select, one, first, w.Value(v.Args[0]), none))
		return
	}
	zero := w.F.Const(t, 0)
	x := w.Blend(mask, w.Vec(v.Args[0]), zero)
	if from := w.lanesOf(v.Args[1]); from != nil {
		if w.scalarForm(v.Args[1]) && w.Info.Uniform(v.Args[1]) {
			if from[0] == w.W {
				w.define(v, w.F.Const(one, 0))
				return
			}
			y := w.append(vir.Extract, one, x)
			y.Index = from[0]
			w.define(v, y)
			return
		}
		y := w.append(vir.Shuffle, t, x, zero)
		y.Lanes = from
		w.Define(v, y)
		return
	}
	size := v.Type.Size()
	access := func(y *vir.Value) *vir.Value {
		y.Disp, y.Align = vir.CtxLanes, size
		return y
	}
	access(w.append(vir.VStore, vir.Type{}, w.ctx, x, w.True()))
	if w.scalarForm(v.Args[1]) && w.Info.Uniform(v.Args[1]) {
		i := w.Scalar(v.Args[1])
		at := w.append(alu.ZExt, vir.Scalar(alu.I64), w.append(alu.And, i.Type, i, w.F.Const(i.Type, uint64(w.W-1))))
		at = w.append(alu.Mul, at.Type, at, w.const64(int64(size)))
		y := access(w.append(vir.Load, one, w.append(alu.Add, at.Type, w.ctx, at)))
		in := w.append(alu.Ult, vir.Scalar(alu.I1), i, w.F.Const(i.Type, uint64(w.W)))
		w.define(v, w.append(alu.Select, one, in, y, w.F.Const(one, 0)))
		return
	}
	i := w.Vec(v.Args[1])
	in := w.append(alu.Ult, vir.Mask(w.W), i, w.F.Const(i.Type, uint64(w.W)))
	y := access(w.append(vir.Gather, t, w.ctx, i, w.And(mask, in)))
	y.Scale = size
	w.Define(v, y)
}

// activeLane reads the value of the first active lane, or of lane 0 if there is none.
func (w *Widener) activeLane(v *kernel.Value, mask *vir.Value) {
	a := v.Args[0]
	if w.W == 1 || w.Info.Uniform(a) || !w.scalarForm(v) {
		w.Define(v, w.inFormOf(v, a))
		return
	}
	w.Define(v, w.append(vir.First, w.TypeOf(v), w.Vec(a), mask))
}

// lanesOf returns the source lane of each lane, W if there is none; nil unless v depends only on
// the lane.
func (w *Widener) lanesOf(v *kernel.Value) []int {
	out := make([]int, w.W)
	left := 64 // limit of operations visited
	for l := range out {
		x, ok := w.inLane(v, uint64(l), &left)
		if !ok {
			return nil
		}
		left = 64
		out[l] = int(min(x, uint64(w.W)))
	}
	return out
}

// inLane evaluates v in a lane.
func (w *Widener) inLane(v *kernel.Value, lane uint64, left *int) (uint64, bool) {
	if *left--; *left < 0 {
		return 0, false
	}
	switch {
	case v.Op == kernel.Const:
		return v.Const, true
	case v.Op == kernel.Lane:
		return lane, true
	case v.Op == kernel.Lanes:
		return uint64(w.W), true
	case !v.Op.Pure() || v.Type.IsFloat():
		return 0, false
	}
	var in [3]uint64
	for i, a := range v.Args {
		x, ok := w.inLane(a, lane, left)
		if !ok {
			return 0, false
		}
		in[i] = x
	}
	return alu.Eval(v.Op, v.Type, v.Args[len(v.Args)-1].Type, in[0], in[1], in[2]), true
}
