package widen

import (
	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/kernel"
	"github.com/simtc/simtc/vir"
)

// allLanes asks whether a condition holds in all lanes of the mask. Of a comparison with
// numbers at even distances the lane at one end tells, be it active or not.
func (w *Widener) allLanes(v *kernel.Value, mask *vir.Value) {
	c := v.Args[0]
	switch end := w.atEnd(c); {
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

// atEnd compares in the one lane for which c, a comparison by order, is the least likely;
// nil if there is none.
func (w *Widener) atEnd(c *kernel.Value) *vir.Value {
	switch c.Op {
	case alu.Slt, alu.Sle, alu.Ult, alu.Ule:
	default:
		return nil
	}
	signed := c.Op == alu.Slt || c.Op == alu.Sle
	args := make([]*vir.Value, 2)
	for i, x := range c.Args {
		if !w.scalarForm(x) {
			return nil
		}
		args[i] = w.Scalar(x)
		stride, b := w.Info.Shape(x).Stride, w.Info.Bounds[x.ID]
		if stride == 0 {
			continue
		}
		if !w.Info.Uniform(c.Args[1-i]) || signed && !b.SLinear || !signed && !b.ULinear {
			return nil
		}
		if stride > 0 == (i == 0) { // the last lane
			t := args[i].Type
			args[i] = w.append(alu.Add, t, args[i], w.F.Const(t, uint64(stride*int64(w.W-1))))
		}
	}
	return w.append(c.Op, vir.Scalar(alu.I1), args...)
}
