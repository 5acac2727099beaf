package alu

import (
	"math"
	"math/bits"

	"github.com/x448/float16"
)

// Eval computes a pure operation on raw bits. It defines the result for every executor and for
// constant folding. arg is the type T of the operation's class (for Select that of the arms), res
// the result type. Operands and result are zero-extended to 64 bits; pointers are integers.
func Eval(op Op, res, arg Type, a, b, c uint64) uint64 {
	switch {
	case op == Select:
		if a&1 != 0 {
			return b
		}
		return c
	case op >= FAdd && op <= FRint || op >= FEq && op <= FLe:
		if arg == F32 {
			return evalF32(op, a, b, c)
		}
		return evalF64(op, a, b, c)
	case op >= Trunc && op <= Bitcast:
		return convert(op, res, arg, a)
	}
	switch op {
	case DotUS:
		return evalInt(Add, res, dotUS(a, b), c) & res.Mask()
	case DotUSSat:
		return evalInt(SAddSat, res, dotUS(a, b), c) & res.Mask()
	}
	return evalInt(op, arg, a, b) & res.Mask()
}

func bit(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}

func evalInt(op Op, t Type, a, b uint64) uint64 {
	w := uint64(t.Bits())
	sa, sb := t.Signed(a), t.Signed(b)
	sh := b & (w - 1)
	switch op {
	case Add:
		return a + b
	case Sub:
		return a - b
	case Mul:
		return a * b
	case UMulHi:
		if w == 64 {
			hi, _ := bits.Mul64(a, b)
			return hi
		}
		return a * b >> w
	case SMulHi:
		if w == 64 {
			hi, _ := bits.Mul64(a, b)
			return hi - uint64(sa>>63)&b - uint64(sb>>63)&a
		}
		return uint64(sa*sb) >> w
	case UDiv:
		return a / max(b, 1)
	case URem:
		return a % max(b, 1)
	case SDiv, SRem:
		if b == 0 {
			sb = 1
		}
		if op == SDiv {
			return uint64(sa / sb) // Go defines MIN / -1 as MIN
		}
		return uint64(sa % sb)
	case And:
		return a & b
	case Or:
		return a | b
	case Xor:
		return a ^ b
	case Shl:
		return a << sh
	case LShr:
		return a >> sh
	case AShr:
		return uint64(sa >> sh)
	case Rotl:
		if sh == 0 {
			return a
		}
		return a<<sh | a>>(w-sh)
	case SMin:
		return uint64(min(sa, sb))
	case SMax:
		return uint64(max(sa, sb))
	case UMin:
		return min(a, b)
	case UMax:
		return max(a, b)
	case UAddSat:
		if sum, carry := bits.Add64(a, b, 0); carry == 0 && sum <= t.Mask() {
			return sum
		}
		return t.Mask()
	case USubSat:
		return a - min(a, b)
	case SAddSat, SSubSat:
		sum := sa + sb
		passes := (sa^sum)&(sb^sum) < 0 // 64 bits
		if op == SSubSat {
			sum = sa - sb
			passes = (sa^sb)&(sa^sum) < 0
		}
		minimum := ^int64(t.Mask() >> 1)
		switch {
		case passes && sa < 0 || !passes && sum < minimum:
			return uint64(minimum)
		case passes || sum > ^minimum:
			return uint64(^minimum)
		}
		return uint64(sum)
	case Abs:
		if sa < 0 {
			return uint64(-sa)
		}
		return a
	case Clz:
		return uint64(bits.LeadingZeros64(a)) - (64 - w)
	case Popcount:
		return uint64(bits.OnesCount64(a))
	case Eq:
		return bit(a == b)
	case Ne:
		return bit(a != b)
	case Slt:
		return bit(sa < sb)
	case Sle:
		return bit(sa <= sb)
	case Ult:
		return bit(a < b)
	case Ule:
		return bit(a <= b)
	}
	return 0
}

// dotUS multiplies the unsigned bytes of a by the signed bytes of b and sums the products.
func dotUS(a, b uint64) (sum uint64) {
	for shift := 0; shift < 32; shift += 8 {
		sum += uint64(int64(uint8(a>>shift)) * int64(int8(b>>shift)))
	}
	return sum & I32.Mask()
}

func evalF32(op Op, ab, bb, cb uint64) uint64 {
	a, b := math.Float32frombits(uint32(ab)), math.Float32frombits(uint32(bb))
	var r float32
	switch op {
	case FAdd:
		r = a + b
	case FSub:
		r = a - b
	case FMul:
		r = a * b
	case FDiv:
		r = a / b
	case FMin:
		if a < b || b != b {
			return ab
		}
		return bb
	case FMax:
		if a > b || b != b {
			return ab
		}
		return bb
	case PMin:
		if a < b {
			return ab
		}
		return bb
	case PMax:
		if a > b {
			return ab
		}
		return bb
	case FMA:
		r = fma32(a, b, math.Float32frombits(uint32(cb)))
	case FNeg:
		return ab ^ 1<<31
	case FAbs:
		return ab &^ (1 << 31)
	case FSqrt:
		r = float32(math.Sqrt(float64(a))) // exact: double has more than 2p+2 bits
	case FFloor:
		r = float32(math.Floor(float64(a)))
	case FCeil:
		r = float32(math.Ceil(float64(a)))
	case FTrunc:
		r = float32(math.Trunc(float64(a)))
	case FRint:
		r = float32(math.RoundToEven(float64(a)))
	default:
		return compareFloat(op, float64(a), float64(b))
	}
	return uint64(math.Float32bits(r))
}

// fma32 computes a*b+c with a single rounding. The product of two floats is exact in
// double. The double sum is rounded to odd, so that the second rounding gives the correct
// result (Boldo & Melquiond, "Emulation of FMA and correctly rounded sums", 2008).
func fma32(a, b, c float32) float32 {
	p := float64(a) * float64(b)
	z := float64(c)
	s := p + z
	if math.IsNaN(s) || math.IsInf(s, 0) || s == 0 {
		return float32(s)
	}
	t := s - p
	err := (p - (s - t)) + (z - t) // Knuth's two-sum
	if sb := math.Float64bits(s); err != 0 && sb&1 == 0 {
		if (err > 0) == (s > 0) {
			sb++
		} else {
			sb--
		}
		s = math.Float64frombits(sb)
	}
	return float32(s)
}

func evalF64(op Op, ab, bb, cb uint64) uint64 {
	a, b := math.Float64frombits(ab), math.Float64frombits(bb)
	var r float64
	switch op {
	case FAdd:
		r = a + b
	case FSub:
		r = a - b
	case FMul:
		r = a * b
	case FDiv:
		r = a / b
	case FMin:
		if a < b || b != b {
			return ab
		}
		return bb
	case FMax:
		if a > b || b != b {
			return ab
		}
		return bb
	case PMin:
		if a < b {
			return ab
		}
		return bb
	case PMax:
		if a > b {
			return ab
		}
		return bb
	case FMA:
		r = math.FMA(a, b, math.Float64frombits(cb))
	case FNeg:
		return ab ^ 1<<63
	case FAbs:
		return ab &^ (1 << 63)
	case FSqrt:
		r = math.Sqrt(a)
	case FFloor:
		r = math.Floor(a)
	case FCeil:
		r = math.Ceil(a)
	case FTrunc:
		r = math.Trunc(a)
	case FRint:
		r = math.RoundToEven(a)
	default:
		return compareFloat(op, a, b)
	}
	return math.Float64bits(r)
}

func compareFloat(op Op, a, b float64) uint64 {
	switch op {
	case FEq:
		return bit(a == b)
	case FNe:
		return bit(a != b)
	case FLt:
		return bit(a < b)
	case FLe:
		return bit(a <= b)
	}
	return 0
}

func convert(op Op, to, from Type, a uint64) uint64 {
	switch op {
	case Trunc, ZExt, Bitcast:
		return a & to.Mask()
	case SExt:
		return uint64(from.Signed(a)) & to.Mask()
	case FPTrunc, FPExt:
		return convertFloat(to, from, a)
	case SIToFP:
		return fromInt(to, from.Signed(a), 0)
	case UIToFP:
		return fromInt(to, 0, a)
	}
	var f float64
	if from == F32 {
		f = float64(math.Float32frombits(uint32(a)))
	} else {
		f = math.Float64frombits(a)
	}
	limit := math.Ldexp(1, to.Bits())
	if op == FPToSI {
		limit /= 2
		if t := math.Trunc(f); t >= -limit && t < limit {
			return uint64(int64(t)) & to.Mask()
		}
		return 1 << (to.Bits() - 1)
	}
	t := math.Trunc(f)
	if !(t >= 0 && t < limit) { // -0.5 truncates to -0, which is in range
		return to.Mask()
	}
	if t >= 1<<63 {
		return uint64(int64(t-1<<63)) ^ 1<<63
	}
	return uint64(int64(t))
}

// fromInt converts an integer, signed or unsigned, with a single rounding.
func fromInt(to Type, s int64, u uint64) uint64 {
	if to == F64 {
		if s != 0 {
			return math.Float64bits(float64(s))
		}
		return math.Float64bits(float64(u))
	}
	if s != 0 {
		return uint64(math.Float32bits(float32(s)))
	}
	return uint64(math.Float32bits(float32(u)))
}

func convertFloat(to, from Type, a uint64) uint64 {
	var f float64
	switch from {
	case F16:
		f = float64(float16.Frombits(uint16(a)).Float32())
	case F32:
		f = float64(math.Float32frombits(uint32(a)))
	default:
		f = math.Float64frombits(a)
	}
	switch to {
	case F64:
		return math.Float64bits(f)
	case F32:
		return uint64(math.Float32bits(float32(f)))
	}
	if from == F64 {
		f = roundToOdd32(f)
	}
	return uint64(float16.Fromfloat32(float32(f)).Bits())
}

// roundToOdd32 rounds f to float32 so that a later rounding to half is correct: it is
// exact if f is a float32, else the result is the neighbor with an odd last bit.
func roundToOdd32(f float64) float64 {
	r := float32(f)
	if float64(r) == f || r != r || math.IsInf(float64(r), 0) {
		return float64(r)
	}
	b := math.Float32bits(r)
	if b&1 != 0 {
		return float64(r)
	}
	if math.Abs(float64(r)) < math.Abs(f) {
		b++
	} else {
		b--
	}
	return float64(math.Float32frombits(b))
}
