package emulate

import (
	"math"
	"math/big"
	"math/bits"

	"github.com/simtc/simtc/targets/x86/asm"
)

// Float arithmetic on bit patterns. Rounding to nearest uses Go's arithmetic, which follows
// IEEE 754; the other modes, which are rare, round an exact result.

// rounding is a rounding mode in the encoding of MXCSR and immediates.
type rounding uint8

const (
	toNearest rounding = iota // even
	toDown
	toUp
	toZero
)

// floatEnv is the environment on which the result of a float instruction depends.
type floatEnv struct {
	mode rounding
	daz  bool // denormal operands are treated as zeros
	ftz  bool // denormal results are flushed to zero
}

// plain reports whether Go's arithmetic gives the same results.
func (e *floatEnv) plain() bool { return e.mode == toNearest && !e.daz && !e.ftz }

// Bits of MXCSR (SDM volume 1, 10.2.3). All exceptions are assumed to be masked.
const (
	defaultMXCSR = 0x1F80
	mxcsrDAZ     = 1 << 6
	mxcsrRC      = 13 // two bits
	mxcsrFTZ     = 1 << 15
)

func (m *Machine) setMXCSR(v uint32) {
	m.mxcsr = v
	for i := range m.envs {
		m.envs[i] = floatEnv{mode: rounding(i - 1), daz: v&mxcsrDAZ != 0, ftz: v&mxcsrFTZ != 0}
	}
	m.envs[0].mode = rounding(v >> mxcsrRC & 3)
}

// environment returns the index in Machine.envs of in's environment.
func environment(in *asm.Inst) int {
	if in.Round == asm.RoundNone || in.Round == asm.RoundSAE {
		return 0
	}
	return 1 + int(in.Round-asm.RoundRN)
}

// format is a binary interchange format.
type format struct {
	size      int // bytes
	precision int // bits of the significand, including the implicit one
	minExp    int // exponent of the smallest normal number
}

var (
	half   = &format{2, 11, -14}
	single = &format{4, 24, -126}
	double = &format{8, 53, -1022}
)

// formatOf returns the format whose numbers have n bytes.
func formatOf(n int) *format {
	switch n {
	case 2:
		return half
	case 4:
		return single
	}
	return double
}

func (f *format) signBit() uint64    { return 1 << (8*f.size - 1) }
func (f *format) quietBit() uint64   { return 1 << (f.precision - 2) }
func (f *format) infinity() uint64   { return f.signBit() - 1<<(f.precision-1) }
func (f *format) indefinite() uint64 { return f.signBit() | f.infinity() | f.quietBit() }

func (f *format) isNaN(x uint64) bool      { return x&^f.signBit() > f.infinity() }
func (f *format) isFinite(x uint64) bool   { return x&^f.signBit() < f.infinity() }
func (f *format) isZero(x uint64) bool     { return x&^f.signBit() == 0 }
func (f *format) isNegative(x uint64) bool { return x&f.signBit() != 0 }

// operand returns x as an operand: with DAZ denormals are zeros.
func (f *format) operand(e *floatEnv, x uint64) uint64 {
	if e.daz && x&^f.signBit() < 1<<(f.precision-1) {
		return x & f.signBit()
	}
	return x
}

// value returns a number of 4 or 8 bytes as a float64, which represents every float32.
func (f *format) value(x uint64) float64 {
	if f.size == 4 {
		return float64(math.Float32frombits(uint32(x)))
	}
	return math.Float64frombits(x)
}

// encode rounds significand * 2^exp. With sticky set, the exact value is slightly larger.
func (f *format) encode(e *floatEnv, negative bool, significand uint64, exp int, sticky bool) uint64 {
	s := uint64(0)
	if negative {
		s = f.signBit()
	}
	if significand == 0 {
		return s
	}
	n := bits.LeadingZeros64(significand)
	significand <<= n
	exp -= n
	top := exp + 63                                   // the exponent of the number
	cut := max(top, f.minExp) - f.precision + 1 - exp // bits to drop
	kept, halfway := uint64(0), false
	switch {
	case cut > 64:
		sticky = true
	case cut == 64:
		halfway = significand>>63 != 0
		sticky = sticky || significand<<1 != 0
	default:
		kept = significand >> cut
		halfway = significand>>(cut-1)&1 != 0
		sticky = sticky || significand<<(65-cut) != 0
	}
	up := false
	switch e.mode {
	case toNearest:
		up = halfway && (sticky || kept&1 != 0)
	case toDown:
		up = negative && (halfway || sticky)
	case toUp:
		up = !negative && (halfway || sticky)
	}
	if up {
		kept++
	}
	if e.ftz && top < f.minExp {
		// Denormals are detected after rounding with an unbounded exponent.
		unbounded := format{f.size, f.precision, top}
		if top < f.minExp-1 || unbounded.encode(&floatEnv{mode: e.mode}, false, significand, exp, sticky)>>(f.precision-1) < 2 {
			return s
		}
	}
	r := uint64(max(top-f.minExp, 0))<<(f.precision-1) + kept
	if r >= f.infinity() {
		r = f.infinity()
		if e.mode == toZero || e.mode == toDown && !negative || e.mode == toUp && negative {
			r--
		}
	}
	return s | r
}

// exact returns the value of a finite number.
func (f *format) exact(x uint64) *big.Float {
	significand, exp := x&(1<<(f.precision-1)-1), int(x&^f.signBit()>>(f.precision-1))
	if exp > 0 {
		significand |= 1 << (f.precision - 1)
	}
	v := new(big.Float).SetPrec(exactBits).SetUint64(significand)
	v.SetMantExp(v, max(exp, 1)-1+f.minExp-f.precision+1)
	if f.isNegative(x) {
		v.Neg(v)
	}
	return v
}

// exactBits is a precision that suffices for exact sums of products of doubles.
const exactBits = 4400

// encodeExact rounds v, which must not be zero.
func (f *format) encodeExact(e *floatEnv, v *big.Float) uint64 {
	m := new(big.Float)
	exp := v.MantExp(m)
	m.SetMantExp(m.Abs(m), 64)
	significand, accuracy := m.Uint64()
	return f.encode(e, v.Sign() < 0, significand, exp-64, accuracy != big.Exact)
}

// binary computes x op y: by near in Go's arithmetic, and by exactly for the other modes.
func (f *format) binary(e *floatEnv, x, y uint64, near func(x, y uint64) uint64, exactly func(z, x, y *big.Float) *big.Float) uint64 {
	x, y = f.operand(e, x), f.operand(e, y)
	r := near(x, y)
	switch {
	case !f.isNaN(r):
	case f.isNaN(x):
		return x | f.quietBit()
	case f.isNaN(y):
		return y | f.quietBit()
	default:
		return f.indefinite()
	}
	if e.plain() || !f.isFinite(x) || !f.isFinite(y) {
		return r
	}
	v := exactly(new(big.Float).SetPrec(exactBits), f.exact(x), f.exact(y))
	if v.Sign() == 0 {
		return r
	}
	return f.encodeExact(e, v)
}

func near32(f func(x, y float32) float32) func(x, y uint64) uint64 {
	return func(x, y uint64) uint64 {
		return uint64(math.Float32bits(f(math.Float32frombits(uint32(x)), math.Float32frombits(uint32(y)))))
	}
}

func near64(f func(x, y float64) float64) func(x, y uint64) uint64 {
	return func(x, y uint64) uint64 {
		return math.Float64bits(f(math.Float64frombits(x), math.Float64frombits(y)))
	}
}

// operation returns a float operation of two operands for a format.
type operation func(f *format) func(e *floatEnv, x, y uint64) uint64

// arithmeticOf returns an operation from its functions on singles, doubles and exact numbers.
func arithmeticOf(s func(x, y float32) float32, d func(x, y float64) float64, exactly func(z, x, y *big.Float) *big.Float) operation {
	return func(f *format) func(e *floatEnv, x, y uint64) uint64 {
		near := near64(d)
		if f == single {
			near = near32(s)
		}
		return func(e *floatEnv, x, y uint64) uint64 { return f.binary(e, x, y, near, exactly) }
	}
}

var (
	floatMul = arithmeticOf(func(x, y float32) float32 { return x * y }, func(x, y float64) float64 { return x * y }, (*big.Float).Mul)
	floatDiv = arithmeticOf(func(x, y float32) float32 { return x / y }, func(x, y float64) float64 { return x / y },
		func(z, x, y *big.Float) *big.Float {
			if y.Sign() == 0 {
				return z // 0, so binary returns Go's result
			}
			return z.SetPrec(quotientBits).Quo(x, y)
		})
	floatAdd = signedZero(arithmeticOf(func(x, y float32) float32 { return x + y }, func(x, y float64) float64 { return x + y }, (*big.Float).Add), 0)
	floatSub = signedZero(arithmeticOf(func(x, y float32) float32 { return x - y }, func(x, y float64) float64 { return x - y }, (*big.Float).Sub), 1)
)

// quotientBits is a precision that suffices to round a quotient or square root to a double:
// inexact ones differ by more from any double and from the midpoint of any two.
const quotientBits = 256

// signedZero returns op with a negative zero as the sum of operands with different signs if
// the mode is toDown.
func signedZero(op operation, subtract uint64) operation {
	return func(f *format) func(e *floatEnv, x, y uint64) uint64 {
		g, top := op(f), f.signBit()
		return func(e *floatEnv, x, y uint64) uint64 {
			r := g(e, x, y)
			if e.mode == toDown && r == 0 && (x|(y^subtract*top))&top != 0 {
				r = top
			}
			return r
		}
	}
}

// floatMin and floatMax return the second operand if one is a NaN or both are zeros.
func floatMin(f *format) func(e *floatEnv, x, y uint64) uint64 {
	return func(e *floatEnv, x, y uint64) uint64 {
		x, y = f.operand(e, x), f.operand(e, y)
		if f.value(x) < f.value(y) {
			return x
		}
		return y
	}
}

func floatMax(f *format) func(e *floatEnv, x, y uint64) uint64 {
	return func(e *floatEnv, x, y uint64) uint64 {
		x, y = f.operand(e, x), f.operand(e, y)
		if f.value(x) > f.value(y) {
			return x
		}
		return y
	}
}

// floatSqrt computes the square root of the second operand.
func floatSqrt(f *format) func(e *floatEnv, _, x uint64) uint64 {
	return func(e *floatEnv, _, x uint64) uint64 {
		x = f.operand(e, x)
		switch {
		case f.isNaN(x):
			return x | f.quietBit()
		case f.isZero(x) || x == f.infinity():
			return x
		case f.isNegative(x):
			return f.indefinite()
		case !e.plain():
			return f.encodeExact(e, new(big.Float).SetPrec(quotientBits).Sqrt(f.exact(x)))
		case f.size == 4: // double rounding is harmless for the square root of a single
			return uint64(math.Float32bits(float32(math.Sqrt(float64(math.Float32frombits(uint32(x)))))))
		}
		return math.Float64bits(math.Sqrt(math.Float64frombits(x)))
	}
}

// fused computes x*y + z with one rounding. If there are NaNs, it returns the first of a, b
// and c, which are x, y and z before negation.
func (f *format) fused(e *floatEnv, x, y, z uint64, a, b, c uint64) uint64 {
	x, y, z = f.operand(e, x), f.operand(e, y), f.operand(e, z)
	r := f.fusedNear(x, y, z)
	if f.isNaN(r) {
		for _, v := range [3]uint64{a, b, c} {
			if f.isNaN(v) {
				return v | f.quietBit()
			}
		}
		return f.indefinite()
	}
	if e.plain() || !f.isFinite(x) || !f.isFinite(y) || !f.isFinite(z) {
		return r
	}
	v := new(big.Float).SetPrec(exactBits).Mul(f.exact(x), f.exact(y))
	if v.Add(v, f.exact(z)); v.Sign() == 0 {
		if top := f.signBit(); e.mode == toDown && (x^y|z)&top != 0 {
			return top
		}
		return r
	}
	return f.encodeExact(e, v)
}

// fusedNear computes x*y + z rounded to nearest. A NaN result has an arbitrary payload.
func (f *format) fusedNear(x, y, z uint64) uint64 {
	if f.size == 4 {
		return uint64(math.Float32bits(fused32(math.Float32frombits(uint32(x)), math.Float32frombits(uint32(y)), math.Float32frombits(uint32(z)))))
	}
	return math.Float64bits(math.FMA(math.Float64frombits(x), math.Float64frombits(y), math.Float64frombits(z)))
}

// fused32 computes x*y + z with one rounding. The product is exact in a double; the sum is
// rounded to odd, which makes the second rounding correct (Boldo and Melquiond, "Emulation
// of a FMA and correctly rounded sums", 2008).
func fused32(x, y, z float32) float32 {
	p, q := float64(x)*float64(y), float64(z)
	s := p + q
	if math.IsInf(s, 0) || math.IsNaN(s) {
		return float32(s)
	}
	t := s - p
	if lost := (p - (s - t)) + (q - t); lost != 0 {
		b := math.Float64bits(s)
		switch {
		case b&1 != 0:
		case (lost > 0) == (s > 0):
			s = math.Float64frombits(b + 1)
		default:
			s = math.Float64frombits(b - 1)
		}
	}
	return float32(s)
}

// order is the relation of two numbers, or a set of relations.
type order uint8

const (
	isLess order = 1 << iota
	isEqual
	isGreater
	isUnordered
)

func (f *format) compare(e *floatEnv, x, y uint64) order {
	a, b := f.value(f.operand(e, x)), f.value(f.operand(e, y))
	switch {
	case a < b:
		return isLess
	case a > b:
		return isGreater
	case a == b:
		return isEqual
	}
	return isUnordered
}

// floatPredicates holds the relations for which a compare is true, by the lower four bits of
// its immediate. The fifth bit only selects the NaNs that raise exceptions.
var floatPredicates = [16]order{
	isEqual, isLess, isLess | isEqual, isUnordered, isLess | isGreater | isUnordered, isEqual | isGreater | isUnordered,
	isGreater | isUnordered, isLess | isEqual | isGreater, isEqual | isUnordered, isLess | isUnordered, isLess | isEqual | isUnordered,
	0, isLess | isGreater, isEqual | isGreater, isGreater, isLess | isEqual | isGreater | isUnordered,
}

// integral rounds to an integer.
func integral(x float64, mode rounding) float64 {
	switch mode {
	case toNearest:
		return math.RoundToEven(x)
	case toDown:
		return math.Floor(x)
	case toUp:
		return math.Ceil(x)
	}
	return math.Trunc(x)
}

// immediateMode returns the rounding mode in the lower three bits of an immediate.
func immediateMode(e *floatEnv, imm int) rounding {
	if imm&4 != 0 {
		return e.mode
	}
	return rounding(imm & 3)
}

// roundScale rounds x to imm[7:4] bits after the point.
func (f *format) roundScale(e *floatEnv, x uint64, imm int) uint64 {
	x = f.operand(e, x)
	if f.isNaN(x) {
		return x | f.quietBit()
	}
	v := f.value(x)
	if math.Abs(v) >= 1<<52 { // already an integer
		return x
	}
	scale := float64(int(1) << (imm >> 4))
	r := math.Copysign(integral(v*scale, immediateMode(e, imm))/scale, v)
	if f.size == 4 {
		return uint64(math.Float32bits(float32(r)))
	}
	return math.Float64bits(r)
}

// round rounds x to an integer. It ignores the upper half of imm, which is a scale in AVX-512.
func (f *format) round(e *floatEnv, x uint64, imm int) uint64 { return f.roundScale(e, x, imm&15) }

// toInteger converts to an integer of n bytes. Values out of range become the integer
// indefinite, the least signed or the greatest unsigned number.
func (f *format) toInteger(e *floatEnv, x uint64, n int, signed bool, mode rounding) uint64 {
	v := integral(f.value(f.operand(e, x)), mode)
	limit := math.Ldexp(1, 8*n)
	if signed {
		limit /= 2
		if v >= -limit && v < limit {
			return truncate(uint64(int64(v)), n)
		}
		return 1 << (8*n - 1)
	}
	if v >= 0 && v < limit {
		return uint64(v)
	}
	return truncate(^uint64(0), n)
}

// fromInteger converts an integer, which is extended to 64 bits.
func (f *format) fromInteger(e *floatEnv, x uint64, signed bool) uint64 {
	negative := signed && int64(x) < 0
	if negative {
		x = -x
	}
	return f.encode(&floatEnv{mode: e.mode}, negative, x, 0, false)
}

// convert converts x from another format to f.
func (f *format) convert(e *floatEnv, from *format, x uint64) uint64 {
	x = from.operand(e, x)
	s := uint64(0)
	if from.isNegative(x) {
		s = f.signBit()
	}
	up, down := max(f.precision-from.precision, 0), max(from.precision-f.precision, 0)
	fraction, exp := x&(1<<(from.precision-1)-1), int(x&^from.signBit()>>(from.precision-1))
	switch {
	case from.isNaN(x): // the upper bits of the payload are kept
		return s | f.infinity() | f.quietBit() | fraction<<up>>down
	case !from.isFinite(x):
		return s | f.infinity()
	}
	if exp > 0 {
		fraction |= 1 << (from.precision - 1)
	}
	return f.encode(e, s != 0, fraction, max(exp, 1)-1+from.minExp-from.precision+1, false)
}
