package widen

import (
	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/kernel"
	"github.com/simtc/simtc/vir"
)

// betweenSpaces converts a private pointer, which is an offset, to a generic pointer, which
// is an address, or back: op adds or subtracts the start of the lane's frame. An object whose
// pointer is converted escapes, so it lies in the frame of its lane and is not interleaved.
// The null pointer maps to itself.
func (w *Widener) betweenSpaces(v *kernel.Value, op vir.Op) {
	p, i64 := v.Args[0], vir.Scalar(alu.I64)
	start := w.append(alu.Add, i64, w.scratch(), w.const64(int64(w.frame.flat*(w.W-1))))
	if w.W == 1 {
		w.Define(v, w.unlessNull(p, w.append(op, i64, w.Value(p), start)))
		return
	}
	x := w.append(op, vir.Vec(alu.I64, w.W), w.Vec(p), w.spread(start, int64(w.frame.stride)))
	w.Define(v, w.unlessNull(p, x))
}

// unlessNull returns x, or null in the lanes where p is null.
func (w *Widener) unlessNull(p *kernel.Value, x *vir.Value) *vir.Value {
	root, _ := w.chain(p, func(*kernel.Value) bool { return false })
	if root.Op == kernel.Alloca {
		return x
	}
	t, null := x.Type, w.F.Const(x.Type, 0)
	mask := vir.Type{Elem: alu.I1, Lanes: t.Lanes}
	return w.append(alu.Select, t, w.append(alu.Eq, mask, w.Vec(p), null), null, x)
}

// inSpace tests whether a generic pointer points into the local memory of the group or the
// frames of the lanes, of which a work-item only has pointers to its own.
func (w *Widener) inSpace(v *kernel.Value) {
	i64 := vir.Scalar(alu.I64)
	start, size, op := w.field(vir.CtxLocal), w.field(vir.CtxLocalBytes), alu.Ule
	if v.Op == kernel.InPrivate {
		start = w.append(alu.Add, i64, w.scratch(), w.const64(int64(w.frame.flat*w.W)))
		size, op = w.const64(int64(w.frame.stride*w.W)), alu.Ult
	}
	p := w.inFormOf(v, v.Args[0])
	if !w.scalarForm(v) && w.W > 1 {
		start, size = w.spread(start, 0), w.spread(size, 0)
	}
	w.Define(v, w.append(op, w.TypeOf(v), w.append(alu.Sub, p.Type, p, start), size))
}
