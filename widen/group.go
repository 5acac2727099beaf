package widen

import (
	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/kernel"
	"github.com/simtc/simtc/vir"
)

// A group is an access of several adjacent components in each lane's memory: a vector of
// OpenCL C. Up to eight bytes are one wide integer element. A longer group whose lanes are
// contiguous is loaded or stored as whole vectors and permuted. Any other group is accessed in
// pairs of eight bytes, or component by component, as are accesses with a small stride.

// packedType returns the integer that holds n components of t, Void if none.
func packedType(t vir.Type, n int) alu.Type {
	if n > 1 && powerOfTwo(n) {
		return alu.IntOf(n * t.Elem.Bits())
	}
	return alu.Void
}

// powerOfTwo: the lanes of other numbers of components do not fill registers evenly.
func powerOfTwo(n int) bool { return n&(n-1) == 0 }

// loadGroup loads the components of a varying v. It returns false if that has no advantage
// over loading them one by one.
func (w *Widener) loadGroup(v *kernel.Value, a address, mask *vir.Value) bool {
	if v.Count < 2 || w.W == 1 || w.scalarForm(v) || v.Volatile || a.spread != 1 {
		return false
	}
	t := vir.Vec(elem(v.Type), w.W)
	size := v.Type.Size()
	var parts []*vir.Value
	switch {
	case a.index == nil && a.stride == 0:
		return false
	case w.sorts(a, size, v.Count, mask):
		parts = w.loadWhole(a, t, v.Count, mask)
	case packedType(t, v.Count) != alu.Void:
		parts = w.unpack(w.loadLanes(a, vir.Vec(packedType(t, v.Count), w.W), mask), t, v.Count)
	case a.index == nil && a.stride == int64(v.Count*size) && powerOfTwo(v.Count):
		parts = w.loadWhole(a, t, v.Count, mask)
	case packedType(t, 2) != alu.Void && (v.Count%2 == 0 || !a.near(size)):
		for i := 0; i+1 < v.Count; i += 2 {
			pair := w.loadLanes(a.component(i, size), vir.Vec(packedType(t, 2), w.W), mask)
			parts = append(parts, w.unpack(pair, t, 2)...)
		}
		if v.Count%2 == 1 {
			parts = append(parts, w.loadLanes(a.component(v.Count-1, size), t, mask))
		}
	default:
		return false
	}
	for i, x := range parts {
		w.SSA.Write(w.block, w.Var(v, i), x)
	}
	return true
}

// sorts reports whether pairs of size bytes are better separated by a shuffle of contiguous
// vectors than lane by lane, which takes a shift and two narrowings: where no mask has to be
// widened.
func (w *Widener) sorts(a address, size, count int, mask *vir.Value) bool {
	return size == 4 && count == 2 && a.index == nil && a.stride == 8 && mask.Op == vir.Const
}

// near reports whether the stride is so small that vir passes may improve on pairs
// (vir/opt/memory.Interleave).
func (a address) near(size int) bool {
	return a.index == nil && a.stride%int64(size) == 0 && max(a.stride, -a.stride) <= vir.MaxShuffleSpan(size)
}

// storeGroup is loadGroup for a store.
func (w *Widener) storeGroup(v *kernel.Value, a address, mask *vir.Value) bool {
	if v.Count < 2 || w.W == 1 || v.Volatile || a.spread != 1 {
		return false
	}
	args := v.Args[1:]
	t := vir.Vec(elem(args[0].Type), w.W)
	size := args[0].Type.Size()
	vecs := func(from, n int) []*vir.Value {
		out := make([]*vir.Value, n)
		for i := range out {
			out[i] = w.Vec(args[from+i])
		}
		return out
	}
	switch {
	case a.index == nil && a.stride == 0:
		return false
	case w.sorts(a, size, v.Count, mask):
		w.storeWhole(a, vecs(0, v.Count), mask)
	case packedType(t, v.Count) != alu.Void:
		w.storeLanes(a, w.pack(vecs(0, v.Count)), mask)
	case a.index == nil && a.stride == int64(v.Count*size) && powerOfTwo(v.Count):
		w.storeWhole(a, vecs(0, v.Count), mask)
	case packedType(t, 2) != alu.Void && (v.Count%2 == 0 || !a.near(size)):
		for i := 0; i+1 < v.Count; i += 2 {
			w.storeLanes(a.component(i, size), w.pack(vecs(i, 2)), mask)
		}
		if v.Count%2 == 1 {
			w.storeLanes(a.component(v.Count-1, size), w.Vec(args[v.Count-1]), mask)
		}
	default:
		return false
	}
	return true
}

// loadLanes loads one element of type t per lane.
func (w *Widener) loadLanes(a address, t vir.Type, mask *vir.Value) *vir.Value {
	switch {
	case a.index != nil:
		return w.access(a, w.append(vir.Gather, t, a.base, a.index, mask))
	case a.stride == int64(t.Elem.Size()):
		return w.access(a, w.append(vir.VLoad, t, a.base, mask))
	}
	return w.access(a, w.append(vir.Gather, t, a.base, w.steps(a.stride), mask))
}

// storeLanes stores one element per lane.
func (w *Widener) storeLanes(a address, x, mask *vir.Value) {
	none := vir.Type{}
	switch {
	case a.index != nil:
		w.access(a, w.append(vir.Scatter, none, a.base, a.index, x, mask))
	case a.stride == int64(x.Type.Elem.Size()):
		w.access(a, w.append(vir.VStore, none, a.base, x, mask))
	default:
		w.access(a, w.append(vir.Scatter, none, a.base, w.steps(a.stride), x, mask))
	}
}

// unpack extracts n components of type t from wide integers.
func (w *Widener) unpack(x *vir.Value, t vir.Type, n int) []*vir.Value {
	bits := t.Elem.Bits()
	part := t.With(alu.IntOf(bits))
	out := make([]*vir.Value, n)
	for i := range out {
		y := x
		if i > 0 {
			y = w.append(alu.LShr, x.Type, x, w.F.Const(x.Type, uint64(i*bits)))
		}
		y = w.append(alu.Trunc, part, y)
		if part != t {
			y = w.append(alu.Bitcast, t, y)
		}
		out[i] = y
	}
	return out
}

// pack is the inverse of unpack.
func (w *Widener) pack(xs []*vir.Value) *vir.Value {
	t := xs[0].Type
	bits := t.Elem.Bits()
	part := t.With(alu.IntOf(bits))
	wide := t.With(alu.IntOf(len(xs) * bits))
	var all *vir.Value
	for i, x := range xs {
		if x.Op == vir.Const {
			x = w.F.Const(part, x.Const)
		} else if part != t {
			x = w.append(alu.Bitcast, part, x)
		}
		x = w.append(alu.ZExt, wide, x)
		if i == 0 {
			all = x
			continue
		}
		x = w.append(alu.Shl, wide, x, w.F.Const(wide, uint64(i*bits)))
		all = w.append(alu.Or, wide, all, x)
	}
	return all
}

// loadWhole loads n*W contiguous elements and separates them by component.
func (w *Widener) loadWhole(a address, t vir.Type, n int, mask *vir.Value) []*vir.Value {
	all := w.access(a, w.append(vir.VLoad, vir.Vec(t.Elem, n*w.W), a.base, w.repeatLanes(mask, n, t.Elem)))
	out := make([]*vir.Value, n)
	for i := range out {
		x := w.append(vir.Shuffle, t, all, all)
		x.Lanes = make([]int, w.W)
		for l := range x.Lanes {
			x.Lanes[l] = l*n + i
		}
		out[i] = x
	}
	return out
}

// storeWhole is the inverse of loadWhole.
func (w *Widener) storeWhole(a address, xs []*vir.Value, mask *vir.Value) {
	n := len(xs)
	t := xs[0].Type
	all := w.append(vir.Concat, vir.Vec(t.Elem, n*w.W), xs...)
	sorted := w.append(vir.Shuffle, all.Type, all, all)
	sorted.Lanes = make([]int, n*w.W)
	for i := range sorted.Lanes {
		sorted.Lanes[i] = i%n*w.W + i/n
	}
	w.access(a, w.append(vir.VStore, vir.Type{}, a.base, sorted, w.repeatLanes(mask, n, t.Elem)))
}

// repeatLanes makes a mask of n*W lanes in which each lane of mask is repeated n times. It is
// computed on vectors with the size of e, which have as many registers as the accessed data.
func (w *Widener) repeatLanes(mask *vir.Value, n int, e alu.Type) *vir.Value {
	if mask.Op == vir.Const {
		return w.F.Const(vir.Mask(n*w.W), mask.Const)
	}
	word := alu.IntOf(e.Bits())
	x := w.append(alu.SExt, vir.Vec(word, w.W), mask)
	y := w.append(vir.Shuffle, vir.Vec(word, n*w.W), x, x)
	y.Lanes = make([]int, n*w.W)
	for i := range y.Lanes {
		y.Lanes[i] = i / n
	}
	return w.append(alu.Ne, vir.Mask(n*w.W), y, w.F.Const(y.Type, 0))
}
