package plan

import (
	"math"
	"math/bits"

	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/vir"
)

// ranged estimates an order comparison v with a constant, if the compared value is
// uniformly distributed in a known range.
func ranged(v *vir.Value) (p float64, ok bool) {
	switch v.Op {
	case alu.Ult, alu.Ule, alu.Slt, alu.Sle, alu.FLt, alu.FLe:
	default:
		return 0, false
	}
	x, limit := v.Args[0], v.Args[1]
	above := x.Op == vir.Const // v holds if x is at least the limit
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
	const minProb = 1.0 / 65536
	p = max(minProb, min(1-minProb, below/n))
	if above {
		p = 1 - p
	}
	return p, true
}

// extent returns an exclusive upper bound of v if v is plausibly uniform from 0 on: a
// remainder, low or high bits, the result of mixing by multiplication or shifts, or a
// fraction of such a number; 0: unknown.
func extent(v *vir.Value, depth int) float64 {
	if depth == 0 || len(v.Args) == 0 {
		return 0
	}
	size := v.Type.Elem.Bits()
	whole, x := math.Ldexp(1, size), v.Args[0]
	of := func(a *vir.Value) float64 { return extent(a, depth-1) }
	constant := func(i int) (uint64, bool) { // a positive constant operand
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
		case by && 2*int(k) >= size: // high bits that small numbers do not have
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
		case math.Abs(1-integerBound(x)*f) < 1e-3:
			return 1
		}
	}
	return 0
}

// integerBound returns the exclusive upper bound of v if v is converted from an unsigned
// integer, else 0. Random number generators scale such values to the range from 0 to 1.
func integerBound(v *vir.Value) float64 {
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

// quotient reports whether v is the expansion of a division by a constant.
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

// float returns the floating-point constant with the given bits; 0 for other types.
func float(t alu.Type, bits uint64) float64 {
	switch t {
	case alu.F32:
		return float64(math.Float32frombits(uint32(bits)))
	case alu.F64:
		return math.Float64frombits(bits)
	}
	return 0
}
