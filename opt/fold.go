package opt

import (
	"math/bits"

	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/kernel"
)

// Fold evaluates operations on constants and applies algebraic identities that
// hold bit for bit. Of operations on floats it evaluates only those on constants: no useful
// identity is exact for NaN and signed zero.
//
// requires: no unreachable blocks; maintains: SSA
func Fold(f *kernel.Func, st Stats) {
	r := NewReplacer(f)
	for _, id := range f.Graph().ReversePostOrder() { // operands before uses
		for _, v := range f.Blocks[id].Values {
			r.Args(v)
			if x := simplify(f, v); x != nil && x != v {
				r.Set(v, x)
			}
		}
	}
	r.Apply(f)
	st.Add("operations folded", r.n)
	RemoveDead(f, nil)
}

// simplify returns a value equal to v, or nil. It may also rewrite v in place into
// a cheaper operation and return nil.
func simplify(f *kernel.Func, v *kernel.Value) *kernel.Value {
	switch v.Op {
	case kernel.PtrAdd:
		return simplifyPtrAdd(f, v)
	case kernel.InLocal, kernel.InPrivate:
		return foldSpace(f, v)
	case kernel.LocalSize:
		if n := f.ReqdWorkGroupSize[v.Index]; n > 0 && !f.NonUniform {
			return f.Const(v.Type, uint64(n))
		}
	}
	if !v.Op.Pure() {
		return nil
	}
	in := alu.InfoOf(v.Op)
	constant := true
	var a [3]uint64
	for i, x := range v.Args {
		constant = constant && x.Op == kernel.Const
		a[i] = x.Const
	}
	if constant {
		return f.Const(v.Type, alu.Eval(v.Op, v.Type, v.Args[len(v.Args)-1].Type, a[0], a[1], a[2]))
	}
	if in.Commutative && v.Args[0].Op == kernel.Const && v.Args[1].Op != kernel.Const {
		v.Args[0], v.Args[1] = v.Args[1], v.Args[0]
	}
	switch in.Class {
	case alu.Binary:
		if v.Type.IsFloat() {
			return nil
		}
		return simplifyInt(f, v)
	case alu.Compare:
		return simplifyCompare(f, v)
	case alu.Choose:
		return simplifySelect(f, v)
	case alu.Convert:
		return simplifyConvert(f, v)
	}
	return nil
}

func simplifyPtrAdd(f *kernel.Func, v *kernel.Value) *kernel.Value {
	p, off := v.Args[0], v.Args[1]
	if off.Op != kernel.Const {
		return nil
	}
	if off.Const == 0 {
		return p
	}
	if p.Op == kernel.PtrAdd && p.Args[1].Op == kernel.Const {
		v.Args[0], v.Args[1] = p.Args[0], f.Const(alu.I64, p.Args[1].Const+off.Const)
	}
	return nil
}

// foldSpace evaluates the test of a generic pointer that was converted from one of another
// address space.
func foldSpace(f *kernel.Func, v *kernel.Value) *kernel.Value {
	p := v.Args[0]
	for p.Type == alu.PtrGeneric && (p.Op == kernel.PtrAdd || p.Op == alu.Bitcast) {
		p = p.Args[0]
	}
	in := map[kernel.Op]kernel.Type{kernel.InLocal: alu.PtrLocal, kernel.InPrivate: alu.PtrPrivate}[v.Op]
	switch {
	case p.Type == in:
		return f.Const(alu.I1, 1)
	case p.Type.IsPtr() && p.Type != alu.PtrGeneric:
		return f.Const(alu.I1, 0)
	}
	return nil
}

func isConst(v *kernel.Value, bits uint64) bool { return v.Op == kernel.Const && v.Const == bits }

// simplifyInt handles x op x, and x op c with a constant second operand.
func simplifyInt(f *kernel.Func, v *kernel.Value) *kernel.Value {
	x, y, t := v.Args[0], v.Args[1], v.Type
	ones := t.Mask()
	if x == y {
		switch v.Op {
		case alu.Sub, alu.Xor:
			return f.Const(t, 0)
		case alu.And, alu.Or, alu.SMin, alu.SMax, alu.UMin, alu.UMax:
			return x
		}
	}
	if y.Op != kernel.Const {
		return nil
	}
	c := y.Const
	switch v.Op {
	case alu.Add, alu.Sub, alu.Or, alu.Xor, alu.Shl, alu.LShr, alu.AShr, alu.Rotl:
		if c == 0 {
			return x
		}
	case alu.Mul:
		if c == 1 {
			return x
		}
	case alu.UDiv, alu.SDiv: // division by 0 is defined as division by 1
		if c <= 1 {
			return x
		}
	case alu.URem, alu.SRem:
		if c <= 1 {
			return f.Const(t, 0)
		}
	}
	switch v.Op {
	case alu.Sub: // additions of constants have one form
		v.Op, v.Args[1] = alu.Add, f.Const(t, -c)
		return reassociate(f, v)
	case alu.Add, alu.Xor:
		return reassociate(f, v)
	case alu.And:
		switch c {
		case 0:
			return y
		case ones:
			return x
		}
		return reassociate(f, v)
	case alu.Or:
		if c == ones {
			return y
		}
		return reassociate(f, v)
	case alu.Mul:
		if c == 0 {
			return y
		}
		if c&(c-1) == 0 {
			v.Op, v.Args[1] = alu.Shl, f.Const(t, uint64(bits.TrailingZeros64(c)))
			return nil
		}
	case alu.UDiv:
		if c != 0 && c&(c-1) == 0 {
			v.Op, v.Args[1] = alu.LShr, f.Const(t, uint64(bits.TrailingZeros64(c)))
		}
	case alu.URem:
		if c != 0 && c&(c-1) == 0 {
			v.Op, v.Args[1] = alu.And, f.Const(t, c-1)
			return simplifyInt(f, v)
		}
	}
	return nil
}

// reassociate turns (x op c1) op c2 into x op (c1 op c2).
func reassociate(f *kernel.Func, v *kernel.Value) *kernel.Value {
	x, c := v.Args[0], v.Args[1]
	if x.Op == v.Op && x.Args[1].Op == kernel.Const {
		v.Args[0] = x.Args[0]
		v.Args[1] = f.Const(v.Type, alu.Eval(v.Op, v.Type, v.Type, x.Args[1].Const, c.Const, 0))
		return simplifyInt(f, v)
	}
	return nil
}

func simplifyCompare(f *kernel.Func, v *kernel.Value) *kernel.Value {
	x, y := v.Args[0], v.Args[1]
	t := x.Type
	if x == y && !t.IsFloat() {
		return f.Const(alu.I1, alu.Eval(v.Op, alu.I1, t, 0, 0, 0))
	}
	if t == alu.I1 && y.Op == kernel.Const { // b == true, b != false, and their opposites
		if (v.Op == alu.Ne) == (y.Const == 0) {
			return x
		}
		v.Op, v.Args[1] = alu.Xor, f.Const(alu.I1, 1)
		return nil
	}
	// (sext b) < 0 is b: selects between vectors test the sign.
	if v.Op == alu.Slt && isConst(y, 0) && x.Op == alu.SExt && x.Args[0].Type == alu.I1 {
		return x.Args[0]
	}
	// (zext b) != 0 is b.
	if (v.Op == alu.Eq || v.Op == alu.Ne) && isConst(y, 0) && (x.Op == alu.ZExt || x.Op == alu.SExt) {
		from := x.Args[0]
		if from.Type == alu.I1 {
			if v.Op == alu.Ne {
				return from
			}
			v.Op, v.Args[0], v.Args[1] = alu.Xor, from, f.Const(alu.I1, 1)
			return nil
		}
		v.Args[0], v.Args[1] = from, f.Const(from.Type, 0)
	}
	return nil
}

func simplifySelect(f *kernel.Func, v *kernel.Value) *kernel.Value {
	c, x, y := v.Args[0], v.Args[1], v.Args[2]
	switch {
	case x == y:
		return x
	case isConst(c, 1):
		return x
	case c.Op == kernel.Const:
		return y
	case v.Type == alu.I1 && isConst(x, 1) && isConst(y, 0):
		return c
	case v.Type == alu.I1 && isConst(y, 0):
		v.Op, v.Args = alu.And, []*kernel.Value{c, x}
	case v.Type == alu.I1 && isConst(x, 1):
		v.Op, v.Args = alu.Or, []*kernel.Value{c, y}
	case c.Op == alu.Xor && isConst(c.Args[1], 1):
		v.Args[0], v.Args[1], v.Args[2] = c.Args[0], y, x
	}
	return nil
}

func simplifyConvert(f *kernel.Func, v *kernel.Value) *kernel.Value {
	x := v.Args[0]
	switch v.Op {
	case alu.Bitcast:
		if x.Op == alu.Bitcast && x.Args[0].Type == v.Type {
			return x.Args[0]
		}
	case alu.Trunc:
		switch x.Op {
		case alu.Trunc:
			v.Args[0] = x.Args[0]
		case alu.ZExt, alu.SExt:
			from := x.Args[0]
			switch {
			case from.Type == v.Type:
				return from
			case from.Type.Bits() > v.Type.Bits():
				v.Args[0] = from
			case from.Type.Bits() < v.Type.Bits():
				v.Op, v.Args[0] = x.Op, from
			}
		}
	case alu.ZExt:
		if x.Op == alu.ZExt {
			v.Args[0] = x.Args[0]
		}
	case alu.SExt:
		if x.Op == alu.SExt || x.Op == alu.ZExt {
			v.Op, v.Args[0] = x.Op, x.Args[0]
		}
	}
	return nil
}
