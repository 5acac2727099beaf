package widen

import (
	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/kernel"
	"github.com/simtc/simtc/vir"
)

// atomic translates an atomic access. Lanes execute it in order, even at one address, which
// then is the base, with an index of 0.
func (w *Widener) atomic(v *kernel.Value, mask *vir.Value) {
	a := w.address(v)
	op := vir.Atomic
	if v.Op == kernel.CmpXchg {
		op = vir.CmpXchg
	}
	t := vir.Scalar(v.Type)
	args := []*vir.Value{a.base}
	if w.W > 1 {
		op, t = vir.VAtomic, vir.Vec(v.Type, w.W)
		if v.Op == kernel.CmpXchg {
			op = vir.VCmpXchg
		}
		index := a.index
		if index == nil {
			index = w.steps(a.stride)
		}
		args = append(args, index)
	}
	for _, x := range v.Args[1:] {
		args = append(args, w.Vec(x))
	}
	if w.W > 1 {
		args = append(args, mask)
	}
	x := w.append(op, t, args...)
	if w.W > 1 {
		x.Scale = a.scale
	}
	x.Disp, x.Align = a.disp, v.Type.Size()
	x.Local = v.Args[0].Type == alu.PtrLocal
	if v.Op == kernel.Atomic {
		x.Index = v.Index
	}
	w.Define(v, x)
}
