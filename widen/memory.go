package widen

import (
	"math/bits"

	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/kernel"
	"github.com/simtc/simtc/vir"
)

// MaxObject bounds the size of any buffer or private memory in bytes. No
// object is larger, so the distance between two addresses in one object fits
// in a signed 32-bit number, and indices into memory are computed in 32 bits.
// The slack leaves room for constant displacements.
const MaxObject = 1<<31 - 1<<24

// address is the memory address of an access: lane l at
//
//	base + disp + l*stride            where index is nil
//	base + disp + index[l]*scale      otherwise
type address struct {
	base   *vir.Value // scalar i64
	disp   int64
	stride int64
	index  *vir.Value // vector of i32 or i64
	scale  int
	align  int
	spread int64 // distance of the components of one access, in units of their size

	object int64 // vir.Value.Object

	// private marks memory with a separate part per lane, which inactive lanes may read.
	private bool
	// local marks memory of one worker that targets do not recognize as such: local
	// memory of the running group, and private memory of one strip among those of a
	// group.
	local bool
	// unsure marks an address that is valid only in active lanes, of which there may be
	// none.
	unsure bool
}

// offset is a distance in bytes (or in units still to be scaled), of which only the low 32 bits
// matter: base + lane*stride, where base is a scalar i64, or a vector of i32 if vec is set.
type offset struct {
	base   *vir.Value
	stride int64
	vec    *vir.Value
}

func (w *Widener) const64(c int64) *vir.Value { return w.F.Const(vir.Scalar(alu.I64), uint64(c)) }

// narrow computes the kernel's i64 value x as an offset. It looks through an extension from 32
// bits: neither wraps in an address (see MaxObject).
func (w *Widener) narrow(x *kernel.Value) offset {
	if w.scalarForm(x) {
		return offset{base: w.Scalar(x), stride: w.stride(x)}
	}
	i32 := vir.Vec(alu.I32, w.W)
	switch x.Op {
	case alu.SExt, alu.ZExt:
		from := x.Args[0]
		switch {
		case from.Type == alu.I32 && w.scalarForm(from):
			base := w.append(alu.SExt, vir.Scalar(alu.I64), w.Scalar(from))
			return offset{base: base, stride: w.stride(from)}
		case from.Type == alu.I32:
			return offset{vec: w.Vec(from)}
		default: // from i1, i8 or i16: their values fit
			return offset{vec: w.append(x.Op, i32, w.Vec(from))}
		}
	case alu.Add, alu.Sub:
		a, b := w.narrow(x.Args[0]), w.narrow(x.Args[1])
		if a.vec == nil && b.vec == nil {
			stride := a.stride + b.stride
			if x.Op == alu.Sub {
				stride = a.stride - b.stride
			}
			return offset{base: w.append(x.Op, vir.Scalar(alu.I64), a.base, b.base), stride: stride}
		}
		return offset{vec: w.append(x.Op, i32, w.offsetVec(a), w.offsetVec(b))}
	case alu.Mul, alu.Shl:
		return w.narrowScaled(x)
	}
	return offset{vec: w.append(alu.Trunc, i32, w.Vec(x))}
}

func (w *Widener) narrowScaled(x *kernel.Value) offset {
	i32 := vir.Vec(alu.I32, w.W)
	if c, y, ok := scaled(x); ok {
		a := w.narrow(y)
		if a.vec == nil {
			return offset{base: w.append(alu.Mul, vir.Scalar(alu.I64), a.base, w.const64(c)), stride: a.stride * c}
		}
		if c > 0 && c&(c-1) == 0 {
			return offset{vec: w.append(alu.Shl, i32, a.vec, w.F.Const(i32, uint64(bits.TrailingZeros64(uint64(c)))))}
		}
		return offset{vec: w.append(alu.Mul, i32, a.vec, w.F.Const(i32, uint64(c)))}
	}
	if x.Op == alu.Mul {
		return offset{vec: w.append(alu.Mul, i32, w.offsetVec(w.narrow(x.Args[0])), w.offsetVec(w.narrow(x.Args[1])))}
	}
	return offset{vec: w.append(alu.Trunc, i32, w.Vec(x))}
}

// scaled matches y*c and y<<c with a constant within the range of an address.
func scaled(x *kernel.Value) (c int64, y *kernel.Value, ok bool) {
	if x.Op != alu.Mul && x.Op != alu.Shl || x.Args[1].Op != kernel.Const {
		return 0, nil, false
	}
	c = int64(x.Args[1].Const)
	if x.Op == alu.Shl {
		if c < 0 || c > 30 {
			return 0, nil, false
		}
		c = 1 << c
	}
	return c, x.Args[0], c > -MaxObject && c < MaxObject
}

func (w *Widener) stride(x *kernel.Value) int64 {
	if w.W == 1 || x.Op == kernel.Const {
		return 0
	}
	return w.Info.Shape(x).Stride
}

func (w *Widener) offsetVec(o offset) *vir.Value {
	if o.vec != nil {
		return o.vec
	}
	base := o.base
	if base.Op == vir.Const {
		base = w.F.Const(vir.Scalar(alu.I32), base.Const)
	} else {
		base = w.append(alu.Trunc, vir.Scalar(alu.I32), base)
	}
	return w.spread(base, o.stride)
}

// address splits the pointer of an access into a root that all lanes share and offsets. Every
// intermediate pointer of the chain lies in the object (C allows no other), so uniform offsets
// near the root may be added to the base.
func (w *Widener) address(v *kernel.Value) address {
	p := v.Args[0]
	if p.Type == alu.PtrPrivate {
		return w.privateAddress(v, p)
	}
	root, offs := w.chain(p, func(p *kernel.Value) bool { return w.scalarForm(p) })
	a := address{scale: 1, align: v.Align, spread: 1, local: p.Type == alu.PtrLocal}
	if !w.scalarForm(root) {
		// Pointers that differ between lanes: the index is the address. Offsets from the root
		// are cheap to add in 64 bits.
		a.base, a.index = w.const64(0), w.Vec(p)
		if len(offs) > 0 && offs[0].Op == kernel.Const {
			a.index = w.Vec(p.Args[0])
			a.disp = int64(offs[0].Const)
			if a.disp != int64(int32(a.disp)) {
				a.index, a.disp = w.Vec(p), 0
			}
		}
		return a
	}
	a.base, a.stride = w.Scalar(root), w.stride(root)
	if a.stride != 0 && len(offs) > 0 {
		// A strided pointer plus a varying offset.
		a.index = w.spread(w.F.Const(vir.Scalar(alu.I32), 0), a.stride)
		a.stride = 0
	}
	// offs is outermost first; walk from the root.
	varying := 0
	for _, x := range offs {
		if !small(x) {
			varying++
		}
	}
	for i := len(offs) - 1; i >= 0; i-- {
		w.addOffset(&a, offs[i], varying == 1)
	}
	return a
}

// chain follows PtrAdds from p to the first pointer that stop accepts or that is no PtrAdd, and
// returns it with the offsets in between, outermost first.
func (w *Widener) chain(p *kernel.Value, stop func(*kernel.Value) bool) (*kernel.Value, []*kernel.Value) {
	var offs []*kernel.Value
	for !stop(p) && p.Op == kernel.PtrAdd {
		offs = append(offs, p.Args[1])
		p = p.Args[0]
	}
	return p, offs
}

// small reports whether x is a constant that fits a displacement.
func small(x *kernel.Value) bool {
	return x.Op == kernel.Const && int64(x.Const) == int64(int32(x.Const))
}

// addOffset adds one offset of the chain. only is set if the other offsets are constants, so
// that its scale can be that of the access.
func (w *Widener) addOffset(a *address, x *kernel.Value, only bool) {
	if small(x) {
		a.disp += int64(int32(x.Const))
		return
	}
	if c, y, ok := scaled(x); ok && only && a.index == nil && (c == 2 || c == 4 || c == 8) && !w.scalarForm(x) {
		o := w.narrow(y)
		if o.vec != nil {
			a.index, a.scale = o.vec, int(c)
			return
		}
		a.base = w.append(alu.Add, vir.Scalar(alu.I64), a.base, w.append(alu.Mul, vir.Scalar(alu.I64), o.base, w.const64(c)))
		a.stride += o.stride * c
		return
	}
	o := w.narrow(x)
	switch {
	case a.index == nil && o.vec == nil:
		a.base = w.append(alu.Add, vir.Scalar(alu.I64), a.base, o.base)
		a.stride += o.stride
	case a.index == nil && a.stride == 0:
		a.index = o.vec
	default:
		i32 := vir.Vec(alu.I32, w.W)
		if a.index == nil {
			a.index, a.stride = w.spread(w.F.Const(vir.Scalar(alu.I32), 0), a.stride), 0
		}
		a.index = w.append(alu.Add, i32, a.index, w.offsetVec(o))
	}
}

// privateAddress turns an offset in private memory into an address in the
// scratch area; frame describes the layout.
func (w *Widener) privateAddress(v, p *kernel.Value) address {
	root, offs := w.chain(p, func(*kernel.Value) bool { return false })
	a := address{base: w.scratch(), scale: 1, private: true, align: v.Align, spread: 1, local: w.rowFrame != nil}
	unit, shared := 0, 0
	var o offset
	if root.Op == kernel.Alloca {
		unit, shared = w.frame.unit[root.ID], w.frame.shared[root.ID]
		o = offset{base: w.const64(0)}
		a.disp = int64(max(w.frame.offset[root.ID], shared))
		if w.W == 1 {
			a.object = int64(w.frame.offset[root.ID])
		}
	} else {
		o = w.narrow(root)
	}
	for i := len(offs) - 1; i >= 0; i-- {
		x := offs[i]
		if x.Op == kernel.Const && int64(x.Const) == int64(int32(x.Const)) {
			a.disp += int64(int32(x.Const))
			continue
		}
		o = w.sum(o, w.narrow(x))
	}
	if shared == 0 {
		w.placePrivate(&a, o, unit)
		return a
	}
	a.private = false
	if o.vec == nil {
		a.base, a.stride = w.append(alu.Add, vir.Scalar(alu.I64), a.base, o.base), o.stride
	} else {
		a.index = o.vec
	}
	return a
}

// sum adds two offsets.
func (w *Widener) sum(a, b offset) offset {
	zero := func(o offset) bool {
		return o.vec == nil && o.stride == 0 && o.base.Op == vir.Const && o.base.Const == 0
	}
	switch {
	case zero(a):
		return b
	case zero(b):
		return a
	case a.vec == nil && b.vec == nil:
		return offset{base: w.append(alu.Add, vir.Scalar(alu.I64), a.base, b.base), stride: a.stride + b.stride}
	}
	return offset{vec: w.append(alu.Add, vir.Vec(alu.I32, w.W), w.offsetVec(a), w.offsetVec(b))}
}

// placePrivate applies the layout to the offset o + a.disp.
func (w *Widener) placePrivate(a *address, o offset, unit int) {
	mult, step := int64(w.W), int64(unit) // interleaved
	if unit == 0 {
		mult, step = 1, int64(w.frame.stride)
		a.disp += int64(w.frame.flat * (w.W - 1))
	} else {
		a.disp *= mult
		a.align, a.spread = unit, mult
	}
	if w.W == 1 {
		step = 0
	}
	if o.vec == nil {
		if mult != 1 {
			o.base = w.append(alu.Mul, vir.Scalar(alu.I64), o.base, w.const64(mult))
		}
		a.base = w.append(alu.Add, vir.Scalar(alu.I64), a.base, o.base)
		a.stride = o.stride*mult + step
		return
	}
	i32 := vir.Vec(alu.I32, w.W)
	index := o.vec
	if mult != 1 {
		index = w.append(alu.Shl, i32, index, w.F.Const(i32, uint64(bits.TrailingZeros64(uint64(mult)))))
	}
	lanes := w.spread(w.F.Const(vir.Scalar(alu.I32), 0), step)
	a.index = w.append(alu.Add, i32, index, lanes)
}

// Unmasked reports whether v has an effect under an empty mask: a scalar access, which
// cannot be masked, or an unmasked load from private memory at an offset that is valid
// only in active lanes.
func (w *Widener) Unmasked(v *kernel.Value) bool {
	switch {
	case v.Op != kernel.Load && v.Op != kernel.Store || w.W == 1 || !w.scalarForm(v.Args[0]):
		return false
	case v.Args[0].Type != alu.PtrPrivate:
		return w.stride(v.Args[0]) == 0
	}
	root, offs := w.chain(v.Args[0], func(*kernel.Value) bool { return false })
	if v.Op == kernel.Store {
		return root.Op == kernel.Alloca && w.frame.shared[root.ID] > 0
	}
	at := int64(0)
	for _, o := range offs {
		if o.Op != kernel.Const || int64(o.Const) != int64(int32(o.Const)) {
			return true
		}
		at += int64(int32(o.Const))
	}
	// The facts about a value in an arm that is never taken may be wrong.
	return root.Op != kernel.Alloca || at < 0 || at+int64(v.Count*v.Type.Size()) > int64(root.Size)
}

// Elsewhere reports whether v, which cannot be masked, is a load that EmitIdle makes from
// another address if no lane is active, or under the mask.
func (w *Widener) Elsewhere(v *kernel.Value) bool { return v.Op == kernel.Load && !v.Volatile }

// loadScalar loads one value for all lanes. If the mask is empty, it loads from the launch
// context, which always exists.
func (w *Widener) loadScalar(t vir.Type, a address, mask *vir.Value) *vir.Value {
	if a.unsure {
		if a.disp != 0 {
			a.base = w.append(alu.Add, a.base.Type, a.base, w.const64(a.disp))
		}
		a.base, a.disp = w.append(alu.Select, a.base.Type, w.Any(mask), a.base, w.ctx), 0
	}
	return w.access(a, w.append(vir.Load, t, a.base))
}

func (w *Widener) load(v *kernel.Value, mask *vir.Value) {
	a := w.address(v)
	a.unsure = w.idle && w.Unmasked(v)
	if w.loadGroup(v, a, mask) {
		return
	}
	size := v.Type.Size()
	for i := range v.Count {
		var x *vir.Value
		t := vir.Scalar(elem(v.Type))
		switch at := a.component(i, size); {
		case w.scalarForm(v):
			x = w.loadScalar(t, at, mask)
		case at.index != nil:
			x = w.access(at, w.append(vir.Gather, vir.Vec(t.Elem, w.W), at.base, at.index, mask))
		case at.stride == 0 && w.Unmasked(v): // one address, although the analysis could not prove that all lanes read one value
			x = w.append(vir.Splat, vir.Vec(t.Elem, w.W), w.loadScalar(t, at, mask))
		case at.stride == int64(size):
			x = w.access(at, w.append(vir.VLoad, vir.Vec(t.Elem, w.W), at.base, w.loadMask(at, mask)))
		default:
			x = w.access(at, w.append(vir.Gather, vir.Vec(t.Elem, w.W), at.base, w.steps(at.stride), mask))
		}
		x.Volatile = v.Volatile
		w.SSA.Write(w.block, w.Var(v, i), x)
	}
}

func (w *Widener) store(v *kernel.Value, mask *vir.Value) {
	a := w.address(v)
	if w.storeGroup(v, a, mask) {
		return
	}
	size := v.Args[1].Type.Size()
	for i, arg := range v.Args[1:] {
		var x *vir.Value
		none := vir.Type{}
		switch at := a.component(i, size); {
		case w.W == 1 || at.index == nil && at.stride == 0 && w.Unmasked(v) && w.scalarForm(arg) && w.stride(arg) == 0:
			x = w.access(at, w.append(vir.Store, none, at.base, w.Scalar(arg)))
		case at.index != nil:
			x = w.access(at, w.append(vir.Scatter, none, at.base, at.index, w.Vec(arg), mask))
		case at.stride == int64(size):
			x = w.access(at, w.append(vir.VStore, none, at.base, w.Vec(arg), w.storeMask(at, mask)))
		default:
			x = w.access(at, w.append(vir.Scatter, none, at.base, w.steps(at.stride), w.Vec(arg), mask))
		}
		x.Volatile = v.Volatile
	}
}

// loadMask and storeMask relax the mask of a contiguous access to private memory: any lane may
// read it, and the contents of lanes beyond the range are never used. Processors forward unmasked
// stores to later loads, but not masked ones.
func (w *Widener) loadMask(a address, mask *vir.Value) *vir.Value {
	if a.private && !a.unsure {
		return w.True()
	}
	return mask
}

func (w *Widener) storeMask(a address, mask *vir.Value) *vir.Value {
	if a.private && mask == w.stripMask {
		return w.True()
	}
	return mask
}

// steps is the index vector 0, stride, 2*stride, …
func (w *Widener) steps(stride int64) *vir.Value {
	return w.spread(w.F.Const(vir.Scalar(alu.I32), 0), stride)
}

// component returns the address of component i of size bytes.
func (a address) component(i, size int) address {
	a.disp += int64(i*size) * a.spread
	if i > 0 {
		a.align = min(a.align, size&-size)
	}
	return a
}

// access sets the attributes of a memory operation.
func (w *Widener) access(a address, x *vir.Value) *vir.Value {
	x.Disp, x.Align, x.Object = a.disp, a.align, a.object
	x.Local = a.local && (x.Op == vir.VStore || x.Op == vir.Scatter)
	if x.Op == vir.Gather || x.Op == vir.Scatter {
		x.Scale = a.scale
	}
	return x
}
