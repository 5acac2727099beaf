package widen

import (
	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/divergence"
	"github.com/simtc/simtc/kernel"
	"github.com/simtc/simtc/vir"
)

// allLanes computes whether a condition holds in all lanes of the mask. A comparison of
// values that are monotonic across lanes is evaluated in the outermost lanes only, whether
// they are active or not.
func (w *Widener) allLanes(v *kernel.Value, mask *vir.Value) {
	c := v.Args[0]
	switch end := w.atEnds(c); {
	case w.W == 1:
		w.Define(v, w.Value(c))
	case w.scalarForm(c):
		w.define(v, w.Scalar(c))
	case end != nil:
		w.define(v, end)
	default:
		idle := w.AndNot(w.True(), mask)
		w.define(v, w.All(w.Or(w.Vec(c), idle)))
	}
}

// fewLanes computes whether few lanes of the mask are active. At width 1 this is constant.
func (w *Widener) fewLanes(v *kernel.Value, mask *vir.Value) {
	i64, i1 := vir.Scalar(alu.I64), vir.Scalar(alu.I1)
	few := w.F.Const(i1, 0)
	if w.W > 1 {
		few = w.append(alu.Ult, i1, w.append(vir.Count, i64, mask), w.const64(int64(kernel.Few(w.W))))
	}
	w.define(v, few)
}

// atEnds evaluates c in the lanes where it is least likely to hold: an order comparison
// in one lane, a comparison for equality in the first and the last. It returns nil if
// these are unknown.
func (w *Widener) atEnds(c *kernel.Value) *vir.Value {
	if w.W == 1 {
		return nil
	}
	compare := func(x, y *vir.Value) *vir.Value { return w.append(c.Op, vir.Scalar(alu.I1), x, y) }
	switch c.Op {
	case alu.Eq:
		for i, x := range c.Args {
			if number := c.Args[1-i]; w.Info.Uniform(number) {
				if first, last := w.ends(x, alu.Monotone[x.Op].Signed); first != nil {
					n := w.Scalar(number)
					return w.append(alu.And, vir.Scalar(alu.I1), compare(first, n), compare(last, n))
				}
			}
		}
	case alu.Slt, alu.Sle, alu.Ult, alu.Ule:
		signed := alu.Slt == c.Op || alu.Sle == c.Op
		var args [2]*vir.Value
		for i, x := range c.Args {
			if !w.scalarForm(x) || !w.Info.Uniform(x) && !w.Info.Uniform(c.Args[1-i]) {
				return nil
			}
			first, last := w.ends(x, signed)
			if first == nil {
				return nil
			}
			args[i] = first
			if w.Info.Shape(x).Stride > 0 == (i == 0) {
				args[i] = last
			}
		}
		return compare(args[0], args[1])
	}
	return nil
}

// ends computes x in the first and the last lane, if the other lanes are between the two, as
// signed or unsigned numbers.
func (w *Widener) ends(x *kernel.Value, signed bool) (first, last *vir.Value) {
	if w.scalarForm(x) {
		first = w.Scalar(x)
		reach := w.Info.Shape(x).Stride * int64(w.W-1)
		switch {
		case reach == 0:
			return first, first
		case !reaches(x.Type, w.Info.Bounds[x.ID], reach, signed):
			return nil, nil
		}
		return first, w.append(alu.Add, first.Type, first, w.F.Const(first.Type, uint64(reach)))
	}
	if m, ok := alu.Monotone[x.Op]; !ok || m.Signed != signed || !w.Info.Uniform(x.Args[1]) {
		return nil, nil
	}
	if first, last = w.ends(x.Args[0], signed); first == nil {
		return nil, nil
	}
	by := w.Scalar(x.Args[1])
	return w.append(x.Op, first.Type, first, by), w.append(x.Op, first.Type, last, by)
}

// reaches reports whether no lane wraps, active or not: the last lane is reach away from the
// first, whose bounds are b.
func reaches(t kernel.Type, b divergence.Bounds, reach int64, signed bool) bool {
	if signed {
		limit := int64(t.Mask() >> 1)
		return b.SLinear && (reach < 0 && b.SLo >= -limit-1-reach || reach > 0 && b.SHi <= limit-reach)
	}
	return b.ULinear && (reach < 0 && b.ULo >= uint64(-reach) || reach > 0 && uint64(reach) <= t.Mask() && b.UHi <= t.Mask()-uint64(reach))
}
