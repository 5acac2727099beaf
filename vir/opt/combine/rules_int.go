package combine

import (
	"math/bits"

	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/vir"
	"github.com/simtc/simtc/vir/opt/analysis"
)

// intRules simplifies integer arithmetic.
func intRules() map[vir.Op][]rule {
	return map[vir.Op][]rule{
		alu.Add:    {addRule},
		alu.Sub:    {subRule},
		alu.Mul:    {mulRule},
		alu.UMulHi: {mulHiRule},
		alu.SMulHi: {zeroRule},
		alu.UDiv:   {unsignedDiv},
		alu.URem:   {unsignedRem},
		alu.SDiv:   {signedDiv},
		alu.SRem:   {signedRem},
		alu.Shl:    {shiftRule},
		alu.LShr:   {shiftRule},
		alu.AShr:   {shiftRule},
		alu.Rotl:   {shiftRule},
		alu.SMin:   {minMaxRule},
		alu.SMax:   {minMaxRule},
		alu.UMin:   {minMaxRule},
		alu.UMax:   {minMaxRule},
		alu.Abs:    {sameRule, distanceRule},
	}
}

// log2 returns k if v is 2^k in every lane.
func log2(v *vir.Value) (k int, ok bool) {
	if v.Op != vir.Const || v.Const == 0 || v.Const&(v.Const-1) != 0 {
		return 0, false
	}
	return bits.TrailingZeros64(v.Const), true
}

func addRule(s *rewriter, v *vir.Value) *vir.Value {
	x, y := v.Args[0], v.Args[1]
	if analysis.IsZero(y) {
		return x
	}
	if r := s.regroup(v); r != nil {
		return r
	}
	if n := analysis.Negation(x); n != nil && y.Op == vir.Const && y.Const == 1 && v.Type.Elem != alu.I1 { // ~n + 1
		return s.make(alu.Sub, v.Type, s.constant(v.Type, 0), n)
	}
	for range 2 {
		if y.Op == alu.Sub && y.Args[1] == x { // x + (y-x)
			return y.Args[0]
		}
		if y.Op == alu.Sub && analysis.IsZero(y.Args[0]) { // x + (0-y)
			return s.make(alu.Sub, v.Type, x, y.Args[1])
		}
		// Constants in addresses move outwards, to be folded into the displacement.
		if v.Type == address && x.Op == alu.Add && x.Args[1].Op == vir.Const && y.Op != vir.Const {
			return s.make(alu.Add, v.Type, s.make(alu.Add, v.Type, x.Args[0], y), x.Args[1])
		}
		x, y = y, x
	}
	return nil
}

// address is the type of addresses.
var address = vir.Scalar(alu.I64)

func subRule(s *rewriter, v *vir.Value) *vir.Value {
	x, y := v.Args[0], v.Args[1]
	switch {
	case x == y:
		return s.constant(v.Type, 0)
	case y.Op == vir.Const:
		return s.make(alu.Add, v.Type, x, s.constant(v.Type, -y.Const))
	case analysis.Other(x, alu.Add, y) != nil: // x+y - y
		return analysis.Other(x, alu.Add, y)
	case y.Op == alu.Sub && y.Args[0] == x: // x - (x-y)
		return y.Args[1]
	}
	return nil
}

func zeroRule(s *rewriter, v *vir.Value) *vir.Value {
	if analysis.IsZero(v.Args[1]) {
		return v.Args[1]
	}
	return nil
}

func mulRule(s *rewriter, v *vir.Value) *vir.Value {
	x, y := v.Args[0], v.Args[1]
	if y.Op != vir.Const {
		return nil
	}
	switch {
	case analysis.IsZero(y):
		return y
	case analysis.IsConst(y, 1):
		return x
	case analysis.IsOnes(y):
		return s.make(alu.Sub, v.Type, s.constant(v.Type, 0), x)
	}
	if r := s.regroup(v); r != nil {
		return r
	}
	if x.Op == alu.Shl && x.Args[1].Op == vir.Const {
		return s.make(alu.Mul, v.Type, x.Args[0], s.constant(v.Type, y.Const<<x.Args[1].Const))
	}
	if v.Type == address && x.Op == alu.Add && x.Args[1].Op == vir.Const {
		return s.make(alu.Add, v.Type, s.make(alu.Mul, v.Type, x.Args[0], y), s.constant(v.Type, x.Args[1].Const*y.Const))
	}
	if k, ok := log2(y); ok {
		if k == 1 && v.Type.Elem == alu.I8 { // vectors of bytes have no shifts
			return s.make(alu.Add, v.Type, x, x)
		}
		return s.make(alu.Shl, v.Type, x, s.constant(v.Type, uint64(k)))
	}
	return nil
}

func mulHiRule(s *rewriter, v *vir.Value) *vir.Value {
	y := v.Args[1]
	switch k, ok := log2(y); {
	case analysis.IsZero(y):
		return y
	case ok && k == 0:
		return s.constant(v.Type, 0)
	case ok:
		return s.make(alu.LShr, v.Type, v.Args[0], s.constant(v.Type, uint64(v.Type.Elem.Bits()-k)))
	}
	return nil
}

func unsignedDiv(s *rewriter, v *vir.Value) *vir.Value {
	x, y := v.Args[0], v.Args[1]
	if analysis.IsZero(y) || analysis.IsConst(y, 1) {
		return x
	}
	if k, ok := log2(y); ok {
		return s.make(alu.LShr, v.Type, x, s.constant(v.Type, uint64(k)))
	}
	return nil
}

func unsignedRem(s *rewriter, v *vir.Value) *vir.Value {
	x, y := v.Args[0], v.Args[1]
	if analysis.IsZero(y) {
		return y
	}
	if _, ok := log2(y); ok {
		return s.make(alu.And, v.Type, x, s.constant(v.Type, y.Const-1))
	}
	return nil
}

// biased adds 2^k-1 to the negative lanes of x: an arithmetic shift by k then rounds towards
// zero.
func (s *rewriter) biased(x *vir.Value, k int) *vir.Value {
	t, w := x.Type, x.Type.Elem.Bits()
	sign := s.make(alu.AShr, t, x, s.constant(t, uint64(w-1)))
	return s.make(alu.Add, t, x, s.make(alu.LShr, t, sign, s.constant(t, uint64(w-k))))
}

// signedLog2 is log2 for positive signed divisors of at least 2.
func signedLog2(y *vir.Value) (k int, ok bool) {
	k, ok = log2(y)
	return k, ok && k > 0 && k < y.Type.Elem.Bits()-1
}

func signedDiv(s *rewriter, v *vir.Value) *vir.Value {
	x, y := v.Args[0], v.Args[1]
	switch {
	case analysis.IsZero(y) || analysis.IsConst(y, 1):
		return x
	case analysis.IsOnes(y):
		return s.make(alu.Sub, v.Type, s.constant(v.Type, 0), x)
	}
	if k, ok := signedLog2(y); ok {
		return s.make(alu.AShr, v.Type, s.biased(x, k), s.constant(v.Type, uint64(k)))
	}
	return nil
}

func signedRem(s *rewriter, v *vir.Value) *vir.Value {
	x, y := v.Args[0], v.Args[1]
	if analysis.IsZero(y) || analysis.IsConst(y, 1) || analysis.IsOnes(y) {
		return s.constant(v.Type, 0)
	}
	if k, ok := signedLog2(y); ok {
		multiple := s.make(alu.And, v.Type, s.biased(x, k), s.constant(v.Type, -y.Const))
		return s.make(alu.Sub, v.Type, x, multiple)
	}
	return nil
}

func shiftRule(s *rewriter, v *vir.Value) *vir.Value {
	x, n := v.Args[0], v.Args[1]
	w := uint64(v.Type.Elem.Bits())
	if analysis.IsZero(x) {
		return x
	}
	if n.Op != vir.Const {
		// Shift amounts are modulo the width by definition.
		if n.Op == alu.And && n.Args[1].Op == vir.Const && n.Args[1].Const&(w-1) == w-1 && v.Type.Lanes == 1 {
			return s.make(v.Op, v.Type, x, n.Args[0])
		}
		return nil
	}
	k := n.Const & (w - 1)
	if k == 0 {
		return x
	}
	if k != n.Const {
		return s.make(v.Op, v.Type, x, s.constant(v.Type, k))
	}
	if x.Op == v.Op && x.Args[1].Op == vir.Const {
		sum := x.Args[1].Const + k
		switch {
		case v.Op == alu.AShr:
			sum = min(sum, w-1)
		case v.Op != alu.Rotl && sum >= w:
			return s.constant(v.Type, 0)
		}
		return s.make(v.Op, v.Type, x.Args[0], s.constant(v.Type, sum))
	}
	if v.Op == alu.Shl && v.Type == address && x.Op == alu.Add && x.Args[1].Op == vir.Const {
		return s.make(alu.Add, v.Type, s.make(alu.Shl, v.Type, x.Args[0], n), s.constant(v.Type, x.Args[1].Const<<k))
	}
	return nil
}

// minMaxRule simplifies minima and maxima with the ends of the value range.
func minMaxRule(s *rewriter, v *vir.Value) *vir.Value {
	x, y := v.Args[0], v.Args[1]
	if x == y {
		return x
	}
	if r := s.regroup(v); r != nil {
		return r
	}
	top := v.Type.Elem.Mask()
	low, high := uint64(0), top
	if v.Op == alu.SMin || v.Op == alu.SMax {
		low, high = top>>1+1, top>>1
	}
	if v.Op == alu.SMax || v.Op == alu.UMax {
		low, high = high, low
	}
	switch {
	case analysis.IsConst(y, low): // absorbs the other operand
		return y
	case analysis.IsConst(y, high):
		return x
	}
	return nil
}

// distanceRule computes the absolute difference of zero-extended values as maximum minus
// minimum in the small type, of which more lanes fit in a register.
func distanceRule(s *rewriter, v *vir.Value) *vir.Value {
	d := v.Args[0]
	if d.Op != alu.Sub && d.Op != alu.Add || !v.Type.IsVec() {
		return nil
	}
	x, y := d.Args[0], d.Args[1]
	if d.Op == alu.Add { // a subtraction of a constant
		if y.Op != vir.Const {
			return nil
		}
		y = s.constant(d.Type, -y.Const)
	}
	of := x
	if x.Op == vir.Const {
		of = y
	}
	if of.Op != alu.ZExt || of.Args[0].Type.IsMask() {
		return nil
	}
	t := of.Args[0].Type
	narrow := func(a *vir.Value) *vir.Value {
		switch {
		case a.Op == alu.ZExt && a.Args[0].Type == t:
			return a.Args[0]
		case a.Op == vir.Const && a.Const <= t.Elem.Mask():
			return s.constant(t, a.Const)
		}
		return nil
	}
	if x, y = narrow(x), narrow(y); x == nil || y == nil {
		return nil
	}
	return s.make(alu.ZExt, v.Type, s.make(alu.Sub, t, s.make(alu.UMax, t, x, y), s.make(alu.UMin, t, x, y)))
}

// sameRule simplifies idempotent operations.
func sameRule(s *rewriter, v *vir.Value) *vir.Value {
	if v.Args[0].Op == v.Op {
		return v.Args[0]
	}
	return nil
}
