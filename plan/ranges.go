package plan

import (
	"math"
	"math/bits"

	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/vir"
)

// ranged is how likely v holds, a comparison by order with a constant, if what it compares
// is thought to lie anywhere in a range.
func ranged(v *vir.Value) (p float64, ok bool) {
	switch v.Op {
	case alu.Ult, alu.Ule, alu.Slt, alu.Sle, alu.FLt, alu.FLe:
	default:
		return 0, false
	}
	x, limit := v.Args[0], v.Args[1]
	above := x.Op == vir.Const // the limit is not above x
	if above {
		x, limit = limit, x
	}
	if limit.Op != vir.Const {
		return 0, false
	}
	const depth = 8
	n := extent(x, depth)
	t := x.Type.Elem
	below := float64(limit.Const & t.Mask())
	switch signed := v.Op == alu.Slt || v.Op == alu.Sle; {
	case n == 0:
		return 0, false
	case t.IsFloat():
		below = float(t, limit.Const)
	case signed && (limit.Signed() < 0 || n > math.Ldexp(1, t.Bits()-1)):
		return 0, false
	case above == (v.Op == alu.Ult || v.Op == alu.Slt):
		below++
	}
	const least = 1.0 / 65536
	p = max(least, min(1-least, below/n))
	if above {
		p = 1 - p
	}
	return p, true
}

// extent is the number below which v is thought to lie, anywhere from 0 on: a remainder,
// low or high bits, what a multiplication or shifts have mixed, or a share of such a
// number; 0: nothing tells.
func extent(v *vir.Value, depth int) float64 {
	if depth == 0 || len(v.Args) == 0 {
		return 0
	}
	size := v.Type.Elem.Bits()
	whole, x := math.Ldexp(1, size), v.Args[0]
	of := func(a *vir.Value) float64 { return extent(a, depth-1) }
	constant := func(i int) (uint64, bool) { // of an operand that is a positive one
		if len(v.Args) <= i || v.Args[i].Op != vir.Const {
			return 0, false
		}
		k := v.Args[i].Const & v.Type.Elem.Mask()
		return k, k != 0
	}
	k, by := constant(1)
	switch v.Op {
	case vir.Splat, alu.ZExt, alu.UIToFP, alu.SIToFP, alu.FPExt, alu.FPTrunc:
		return of(x)
	case alu.Trunc:
		return min(of(x), whole)
	case alu.And:
		if by && k&(k+1) == 0 {
			return float64(k + 1)
		}
	case alu.URem:
		if by {
			return float64(k)
		}
	case alu.Sub:
		if q := v.Args[1]; q.Op == alu.Mul && q.Args[1].Op == vir.Const && quotient(q.Args[0]) {
			return float64(q.Args[1].Const & v.Type.Elem.Mask())
		}
	case alu.LShr:
		switch n := of(x); {
		case by && n > 0:
			return math.Ldexp(n, -int(k))
		case by && 2*int(k) >= size: // what few numbers have anything in
			return math.Ldexp(whole, -int(k))
		}
	case alu.Mul:
		if by && 2*bits.Len64(k) >= size {
			return whole
		}
	case alu.Xor:
		if y := v.Args[1]; (y.Op == alu.Shl || y.Op == alu.LShr) && y.Args[0] == x || of(x) == whole || of(y) == whole {
			return whole
		}
	case alu.Add, alu.Rotl:
		if of(x) == whole {
			return whole
		}
	case alu.FMul, alu.FDiv:
		f := float(v.Type.Elem, k)
		if v.Op == alu.FDiv {
			f = 1 / f
		}
		switch n := of(x); {
		case !by || f < 0:
		case n > 0:
			return n * f
		case math.Abs(1-most(x)*f) < 1e-3:
			return 1
		}
	}
	return 0
}

// most is the number that v stays below if it is an integer by what it is made from; 0: it
// is none. To make all of that a number from 0 to 1 is what generators of numbers do.
func most(v *vir.Value) float64 {
	if v.Op != alu.UIToFP {
		return 0
	}
	v = v.Args[0]
	n := math.Ldexp(1, v.Type.Elem.Bits())
	if v.Op == alu.LShr && v.Args[1].Op == vir.Const {
		n = math.Ldexp(n, -int(v.Args[1].Const))
	}
	return n
}

// quotient reports whether v is what a division by a constant has become.
func quotient(v *vir.Value) bool {
	const depth = 4
	for range depth {
		switch v.Op {
		case alu.UDiv, alu.SDiv, alu.UMulHi, alu.SMulHi:
			return true
		case alu.LShr, alu.AShr, alu.Sub, alu.Add, alu.Trunc:
			v = v.Args[0]
		default:
			return false
		}
	}
	return false
}

// float is the number that bits are of a type; 0 for what is compared to no constant.
func float(t alu.Type, bits uint64) float64 {
	switch t {
	case alu.F32:
		return float64(math.Float32frombits(uint32(bits)))
	case alu.F64:
		return math.Float64frombits(bits)
	}
	return 0
}
