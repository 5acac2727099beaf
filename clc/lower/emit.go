package lower

import (
	"math/bits"

	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/clc/types"
	"github.com/simtc/simtc/internal/diag"
	"github.com/simtc/simtc/kernel"
)

// emit appends an operation to the current block.
func (l *lowerer) emit(op alu.Op, t alu.Type, args ...*kernel.Value) *kernel.Value {
	v := l.cur.Append(op, t, args...)
	v.Pos = l.here()
	if len(l.called) > 0 {
		v.KeepNames(func(a *kernel.Value) string { return l.called[a] })
	}
	return v
}

// here returns the position for the next operation of the current block. If an earlier
// block already has operations at that position in the same body (of a macro or a
// builtin), the position is marked Later.
func (l *lowerer) here() diag.Pos {
	at, in := l.pos, l.frame
	for in.fixed && in.parent != nil {
		in = in.parent
	}
	first := in.first[at]
	switch {
	case first == nil && !l.isDead():
		in.first[at] = l.cur
	case first != nil && first != l.cur:
		at.Later = true
	}
	return at
}

func (l *lowerer) konst(t alu.Type, bits uint64) *kernel.Value { return l.f.Const(t, bits) }
func (l *lowerer) i64(n int64) *kernel.Value                   { return l.f.Const(alu.I64, uint64(n)) }
func (l *lowerer) bool(b bool) *kernel.Value {
	if b {
		return l.f.Const(alu.I1, 1)
	}
	return l.f.Const(alu.I1, 0)
}

// op emits a pure operation on operands of one type T and folds constants. The result has
// type T (i1 for comparisons).
func (l *lowerer) op(op alu.Op, args ...*kernel.Value) *kernel.Value {
	t := args[len(args)-1].Type
	res := t
	if alu.InfoOf(op).Class == alu.Compare {
		res = alu.I1
	}
	return l.pure(op, res, t, args...)
}

// conv emits a conversion to type t, unless x already has it.
func (l *lowerer) conv(op alu.Op, t alu.Type, x *kernel.Value) *kernel.Value {
	if x.Type == t {
		return x
	}
	return l.pure(op, t, x.Type, x)
}

func (l *lowerer) pure(op alu.Op, res, t alu.Type, args ...*kernel.Value) *kernel.Value {
	constant := true
	for _, a := range args {
		constant = constant && a.Op == kernel.Const
	}
	if constant {
		var in [3]uint64
		for i, a := range args {
			in[i] = a.Const
		}
		return l.konst(res, alu.Eval(op, res, t, in[0], in[1], in[2]))
	}
	if v := l.simplify(op, res, args); v != nil {
		return v
	}
	return l.emit(op, res, args...)
}

// simplify applies the identities for patterns that lowering itself produces often:
// conditions converted to int and back, indices times 1, extensions of extensions. It
// changes no floating operation.
func (l *lowerer) simplify(op alu.Op, res alu.Type, a []*kernel.Value) *kernel.Value {
	isConst := func(v *kernel.Value, bits uint64) bool {
		return v.Op == kernel.Const && v.Const == bits&v.Type.Mask()
	}
	switch op {
	case alu.Add, alu.Or, alu.Xor:
		if isConst(a[1], 0) {
			return a[0]
		}
		if isConst(a[0], 0) {
			return a[1]
		}
		if op == alu.Xor && res == alu.I1 && isConst(a[1], 1) && a[0].Op == alu.Xor && isConst(a[0].Args[1], 1) {
			return a[0].Args[0]
		}
	case alu.Sub, alu.Shl, alu.LShr, alu.AShr:
		if isConst(a[1], 0) {
			return a[0]
		}
	case alu.And:
		for i, v := range a {
			if isConst(v, ^uint64(0)) {
				return a[1-i]
			}
			if isConst(v, 0) {
				return v
			}
		}
	case alu.Mul:
		for i, v := range a {
			if isConst(v, 1) {
				return a[1-i]
			}
			if isConst(v, 0) {
				return v
			}
		}
	case alu.Ne, alu.Eq:
		x := a[0]
		if (x.Op == alu.ZExt || x.Op == alu.SExt) && x.Args[0].Type == alu.I1 && isConst(a[1], 0) {
			if op == alu.Ne {
				return x.Args[0]
			}
			return l.not(x.Args[0])
		}
	case alu.Select:
		if a[0].Op == kernel.Const {
			return a[2-a[0].Const&1]
		}
		if a[1] == a[2] {
			return a[1]
		}
	case alu.Trunc:
		if x := a[0]; x.Op == alu.ZExt || x.Op == alu.SExt {
			y := x.Args[0]
			switch {
			case y.Type == res:
				return y
			case y.Type.Bits() > res.Bits():
				return l.conv(alu.Trunc, res, y)
			default:
				return l.conv(x.Op, res, y)
			}
		}
	case alu.ZExt:
		if x := a[0]; x.Op == alu.ZExt {
			return l.conv(alu.ZExt, res, x.Args[0])
		}
	case alu.SExt:
		if x := a[0]; x.Op == alu.ZExt || x.Op == alu.SExt { // a zext clears the sign
			return l.conv(x.Op, res, x.Args[0])
		}
	case alu.Bitcast:
		// A private pointer, an offset, becomes another value as a generic pointer.
		if x := a[0]; x.Op == alu.Bitcast && (res == x.Args[0].Type || x.Type != alu.PtrGeneric || x.Args[0].Type != alu.PtrPrivate) {
			return l.conv(alu.Bitcast, res, x.Args[0])
		}
	}
	return nil
}

func (l *lowerer) not(x *kernel.Value) *kernel.Value { return l.op(alu.Xor, x, l.bool(true)) }

func (l *lowerer) selectOp(c, x, y *kernel.Value) *kernel.Value {
	return l.pure(alu.Select, x.Type, x.Type, c, x, y)
}

// ptrAdd adds n bytes (an i64) to p and merges constant offsets.
func (l *lowerer) ptrAdd(p, n *kernel.Value) *kernel.Value {
	if n.Op == kernel.Const {
		if n.Const == 0 {
			return p
		}
		if p.Op == kernel.PtrAdd && p.Args[1].Op == kernel.Const {
			return l.ptrAdd(p.Args[0], l.konst(alu.I64, p.Args[1].Const+n.Const))
		}
		if p.Op == kernel.Const {
			return l.konst(p.Type, p.Const+n.Const)
		}
	}
	return l.emit(kernel.PtrAdd, p.Type, p, n)
}

// load reads n components of register type t at addr. In memory an i1 takes one byte.
func (l *lowerer) load(t alu.Type, n int, addr *kernel.Value, align int64, volatile bool) []*kernel.Value {
	v := l.emit(kernel.Load, memType(t), addr)
	v.Count, v.Align, v.Volatile = n, alignOf(align), volatile
	out := make([]*kernel.Value, n)
	out[0] = v
	if n > 1 {
		for i := range out {
			out[i] = l.emit(kernel.Component, v.Type, v)
			out[i].Index = i
		}
	}
	if t == alu.I1 {
		for i, x := range out {
			out[i] = l.op(alu.Ne, x, l.konst(alu.I8, 0))
		}
	}
	return out
}

func (l *lowerer) store(addr *kernel.Value, vals []*kernel.Value, align int64, volatile bool) {
	args := make([]*kernel.Value, 0, len(vals)+1)
	args = append(args, addr)
	for _, x := range vals {
		args = append(args, l.conv(alu.ZExt, memType(x.Type), x))
	}
	v := l.emit(kernel.Store, alu.Void, args...)
	v.Count, v.Align, v.Volatile = len(vals), alignOf(align), volatile
}

// alignOf clamps an alignment to the range that accesses can express.
func alignOf(n int64) int { return int(min(max(n, 1), 1<<20)) }

// lowBit returns the largest power of two that divides n; for 0, a power larger than
// every alignment.
func lowBit(n int64) int64 {
	if n == 0 {
		return 1 << 40
	}
	return 1 << bits.TrailingZeros64(uint64(n))
}

// alloca reserves private memory. finish moves the operation to the head of the entry
// block.
func (l *lowerer) alloca(size, align int64, name string) *kernel.Value {
	if size < 0 || size > kernel.MaxPrivate-l.private {
		if !l.tooBig {
			what := "a value"
			if name != "" {
				what = "'" + name + "'"
			}
			l.errorf(l.pos, "%s has %d bytes, which with the private variables before it is more than %d", what, size, kernel.MaxPrivate)
			l.tooBig = true
		}
		size = 1
	}
	l.private += size
	v := l.entry.NewValue(kernel.Alloca, alu.PtrPrivate)
	v.Size, v.Align, v.Name, v.Pos = int(size), alignOf(align), l.variableName(name), l.pos
	if h := l.loopHead; h != nil {
		if h.Loop == 0 {
			l.loops++
			h.Loop = l.loops
		}
		v.Index = h.Loop
	}
	l.allocas = append(l.allocas, v)
	return v
}

// memType returns the memory type of a register type.
func memType(t alu.Type) alu.Type {
	if t == alu.I1 {
		return alu.I8
	}
	return t
}

var scalarTypes = [...]alu.Type{
	types.KindVoid: alu.Void, types.KindBool: alu.I1,
	types.KindChar: alu.I8, types.KindUChar: alu.I8,
	types.KindShort: alu.I16, types.KindUShort: alu.I16,
	types.KindInt: alu.I32, types.KindUInt: alu.I32,
	types.KindLong: alu.I64, types.KindULong: alu.I64,
	types.KindHalf: alu.F16, types.KindFloat: alu.F32, types.KindDouble: alu.F64,
}

func scalarType(s *types.Scalar) alu.Type { return scalarTypes[s.Kind] }

var ptrTypes = [...]alu.Type{
	types.Private: alu.PtrPrivate, types.Global: alu.PtrGlobal, types.Constant: alu.PtrConstant,
	types.Local: alu.PtrLocal, types.Generic: alu.PtrGeneric,
}

func ptrType(s types.Space) alu.Type { return ptrTypes[s] }

// regType returns the register type and the number of components of a scalar,
// vector, pointer, image, sampler or event; Void for all others.
func regType(t types.Type) (alu.Type, int) {
	switch t := t.(type) {
	case *types.Pointer:
		return ptrType(t.Space), 1
	case *types.Vector:
		return scalarType(t.Elem), t.N
	}
	if s := types.ScalarType(t); s != nil {
		return scalarType(s), 1
	}
	if o, ok := t.(*types.Opaque); ok {
		switch {
		case o.IsImage(): // the address of the descriptor
			return alu.PtrConstant, 1
		case o.Name == "sampler_t":
			return alu.I32, 1
		case o.Name == "event_t": // copies are synchronous; an event carries nothing
			return alu.I64, 1
		}
	}
	return alu.Void, 0
}

// isReg reports whether values of type t are held in registers.
func isReg(t types.Type) bool {
	r, _ := regType(t)
	return r != alu.Void
}
