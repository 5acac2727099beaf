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
