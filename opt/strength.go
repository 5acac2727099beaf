package opt

import (
	"math/big"
	"math/bits"

	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/kernel"
)

// Strength replaces integer divisions by constants, for which no vector unit
// has an instruction: by powers of two with shifts, by other divisors of 16 bits and
// more with a multiplication whose high half is used. Remainders are x - x/d*d.
//
// (Granlund, Montgomery, "Division by Invariant Integers using
// Multiplication", PLDI'94; figures 4.1, 5.1 and 6.2.)
//
// requires: nothing; maintains: everything
func Strength(f *kernel.Func, st Stats) {
	n := 0
	for _, b := range f.Blocks {
		if !anyDivision(b) {
			continue
		}
		old := b.Values
		s := strength{f: f, b: b, out: make([]*kernel.Value, 0, len(old)+16)}
		for _, v := range old {
			if s.v = v; s.divide() {
				n++
			}
			s.out = append(s.out, v)
		}
		b.Values = s.out
	}
	st.Add("divisions by constants replaced", n)
	if n > 0 {
		f.Renumber()
	}
}

func division(v *kernel.Value) bool {
	return v.Op >= alu.UDiv && v.Op <= alu.SRem && v.Args[1].Op == kernel.Const
}

func anyDivision(b *kernel.Block) bool {
	for _, v := range b.Values {
		if division(v) {
			return true
		}
	}
	return false
}

// strength rewrites one operation: v itself becomes the last operation of its replacement,
// the others are appended to out.
type strength struct {
	f   *kernel.Func
	b   *kernel.Block
	v   *kernel.Value
	out []*kernel.Value
}

func (s *strength) op(op kernel.Op, x, y *kernel.Value) *kernel.Value {
	w := s.b.NewValue(op, s.v.Type, x, y)
	w.Pos = s.v.Pos
	s.out = append(s.out, w)
	return w
}

func (s *strength) konst(c uint64) *kernel.Value { return s.f.Const(s.v.Type, c) }

// shift returns x op n, or x if n is 0.
func (s *strength) shift(op kernel.Op, x *kernel.Value, n int) *kernel.Value {
	if n == 0 {
		return x
	}
	return s.op(op, x, s.konst(uint64(n)))
}

// become turns v into the operation.
func (s *strength) become(op kernel.Op, x, y *kernel.Value) {
	s.v.Op, s.v.Args = op, []*kernel.Value{x, y}
}

// divide rewrites v if it is a division by a constant that can be replaced.
func (s *strength) divide() bool {
	v := s.v
	if !division(v) {
		return false
	}
	x, d, width := v.Args[0], v.Args[1].Const, v.Type.Bits()
	unsigned := v.Op == alu.UDiv || v.Op == alu.URem
	remainder := v.Op == alu.URem || v.Op == alu.SRem
	if d == 0 {
		d = 1 // the definition of division by 0
	}
	negative := !unsigned && d>>(width-1) != 0
	if negative {
		d = -d & v.Type.Mask()
	}
	if !unsigned && !negative && nonNegative(x, 4) {
		unsigned = true
	}
	power := d&(d-1) == 0
	log := bits.Len64(d) - 1
	if !power && width < 16 {
		return false
	}
	v.Was = kernel.Replaced(v, x)
	var q *kernel.Value
	switch {
	case d == 1 && remainder:
		s.become(alu.And, x, s.konst(0))
		return true
	case remainder && power && unsigned:
		s.become(alu.And, x, s.konst(d-1))
		return true
	case remainder && power: // round toward zero: (x + bias) mod d - bias
		bias := s.bias(x, log)
		low := s.op(alu.And, s.op(alu.Add, x, bias), s.konst(d-1))
		s.become(alu.Sub, low, bias)
		return true
	case power && unsigned:
		q = s.shift(alu.LShr, x, log)
	case power && log == 0:
		q = x
	case power:
		q = s.op(alu.AShr, s.op(alu.Add, x, s.bias(x, log)), s.konst(uint64(log)))
	case unsigned:
		q = s.unsigned(x, d)
	default:
		q = s.signed(x, d)
	}
	switch {
	case remainder:
		s.become(alu.Sub, x, s.op(alu.Mul, q, s.konst(d)))
	case negative:
		s.become(alu.Sub, s.konst(0), q)
	case q == x: // division by 1, which Fold usually removes
		s.become(alu.Or, q, s.konst(0))
	default: // v becomes the last operation
		s.out = s.out[:len(s.out)-1]
		s.become(q.Op, q.Args[0], q.Args[1])
	}
	return true
}

// bias returns the number that is added to x so that an arithmetic shift by log
// rounds toward zero: 2^log - 1 for a negative x, otherwise 0.
func (s *strength) bias(x *kernel.Value, log int) *kernel.Value {
	sign := s.shift(alu.AShr, x, log-1)
	return s.op(alu.LShr, sign, s.konst(uint64(s.v.Type.Bits()-log)))
}

func (s *strength) unsigned(x *kernel.Value, d uint64) *kernel.Value {
	width := s.v.Type.Bits()
	if m, shift := lowMultiplier(d, largest(x, 4), width); m != 0 {
		return s.shift(alu.LShr, s.op(alu.Mul, x, s.konst(m)), shift)
	}
	m, high, post := multiplier(d, width, width)
	pre := 0
	if high && d&1 == 0 {
		pre = bits.TrailingZeros64(d)
		m, high, post = multiplier(d>>pre, width, width-pre)
	}
	if !high {
		return s.shift(alu.LShr, s.op(alu.UMulHi, s.shift(alu.LShr, x, pre), s.konst(m)), post)
	}
	// The multiplier has one bit more: compute (t + x) >> post without overflow.
	t := s.op(alu.UMulHi, x, s.konst(m))
	half := s.op(alu.LShr, s.op(alu.Sub, x, t), s.konst(1))
	return s.shift(alu.LShr, s.op(alu.Add, half, t), post-1)
}

func (s *strength) signed(x *kernel.Value, d uint64) *kernel.Value {
	width := s.v.Type.Bits()
	m, _, post := multiplier(d, width, width-1)
	q := s.op(alu.SMulHi, x, s.konst(m))
	if m>>(width-1) != 0 { // as a signed factor it is m - 2^width
		q = s.op(alu.Add, q, x)
	}
	q = s.shift(alu.AShr, q, post)
	sign := s.op(alu.AShr, x, s.konst(uint64(width-1)))
	return s.op(alu.Sub, q, sign)
}

// multiplier returns m and post so that x/d = x*m >> (width + post) for all x
// of prec bits. m holds the low width bits of the factor, and high is its bit 2^width.
// It is CHOOSE_MULTIPLIER of the paper; d is no power of two.
func multiplier(d uint64, width, prec int) (m uint64, high bool, post int) {
	l := bits.Len64(d - 1) // 2^(l-1) < d < 2^l
	post = l
	low := new(big.Int).Lsh(big.NewInt(1), uint(width+l))
	up := new(big.Int).Lsh(big.NewInt(1), uint(width+l-prec))
	up.Add(up, low)
	divisor := new(big.Int).SetUint64(d)
	low.Quo(low, divisor)
	up.Quo(up, divisor)
	for half := new(big.Int); post > 0; post-- {
		if half.Rsh(low, 1).Cmp(new(big.Int).Rsh(up, 1)) >= 0 {
			break
		}
		low.Rsh(low, 1)
		up.Rsh(up, 1)
	}
	high = up.Bit(width) != 0
	return up.SetBit(up, width, 0).Uint64(), high, post
}

// lowMultiplier returns m and shift so that x/d = x*m >> shift for all x up to
// maxX, and x*m has at most width bits; m is 0 if there is none. (Granlund
// and Montgomery, "Division by Invariant Integers using Multiplication", PLDI
// 1994, theorem 4.2: 2^shift <= m*d <= 2^shift + 2^(shift-n) for x below 2^n.)
func lowMultiplier(d, maxX uint64, width int) (m uint64, shift int) {
	n := bits.Len64(maxX)
	if bits.Len64(d) > width/2 {
		return 0, 0
	}
	for shift = n; shift < width && 2*n <= width; shift++ {
		m = (1<<shift + d - 1) / d
		if m*d-1<<shift > 1<<(shift-n) {
			continue
		}
		if hi, lo := bits.Mul64(maxX, m); hi == 0 && bits.Len64(lo) <= width {
			return m, shift
		}
		break
	}
	return 0, 0
}

// largest returns an upper bound of v as an unsigned number.
func largest(v *kernel.Value, depth int) uint64 {
	mask := v.Type.Mask()
	if depth == 0 {
		return mask
	}
	arg := func(i int) uint64 { return largest(v.Args[i], depth-1) }
	constant := func(i int) (uint64, bool) { return v.Args[i].Const, v.Args[i].Op == kernel.Const }
	switch v.Op {
	case kernel.Const:
		return v.Const
	case alu.ZExt:
		return arg(0)
	case alu.And, alu.UMin:
		return min(arg(0), arg(1))
	case alu.Select:
		return max(arg(1), arg(2))
	case alu.UMax:
		return max(arg(0), arg(1))
	case alu.Or, alu.Xor:
		return 1<<bits.Len64(max(arg(0), arg(1))) - 1
	case alu.LShr:
		if n, ok := constant(1); ok {
			return arg(0) >> (n & uint64(v.Type.Bits()-1))
		}
		return arg(0)
	case alu.URem:
		if d, ok := constant(1); ok && d > 0 {
			return min(arg(0), d-1)
		}
		return arg(0)
	case alu.UDiv:
		if d, ok := constant(1); ok && d > 0 {
			return arg(0) / d
		}
		return arg(0)
	case alu.Add:
		if sum, carry := bits.Add64(arg(0), arg(1), 0); carry == 0 && sum <= mask {
			return sum
		}
	case alu.Mul:
		if hi, lo := bits.Mul64(arg(0), arg(1)); hi == 0 && lo <= mask {
			return lo
		}
	case alu.Shl:
		if n, ok := constant(1); ok {
			if x := arg(0); bits.Len64(x)+int(n&uint64(v.Type.Bits()-1)) <= v.Type.Bits() {
				return x << (n & uint64(v.Type.Bits()-1))
			}
		}
	case alu.Clz, alu.Popcount:
		return uint64(v.Type.Bits())
	}
	return mask
}

// nonNegative reports whether the sign bit of v is known to be clear.
func nonNegative(v *kernel.Value, depth int) bool {
	if depth == 0 {
		return false
	}
	w := v.Type.Bits()
	clear := func(x *kernel.Value) bool { return nonNegative(x, depth-1) }
	switch v.Op {
	case kernel.Const:
		return v.Const>>(w-1) == 0
	case alu.ZExt:
		return true
	case alu.And, alu.SMax:
		return clear(v.Args[0]) || clear(v.Args[1])
	case alu.Or, alu.Xor, alu.SMin, alu.UMax:
		return clear(v.Args[0]) && clear(v.Args[1])
	case alu.UMin:
		return clear(v.Args[0]) || clear(v.Args[1])
	case alu.Select:
		return clear(v.Args[1]) && clear(v.Args[2])
	case alu.LShr:
		return v.Args[1].Op == kernel.Const && v.Args[1].Const&uint64(w-1) != 0 || clear(v.Args[0])
	case alu.AShr, alu.SExt, alu.SDiv, alu.SRem:
		return clear(v.Args[0]) && (v.Op != alu.SDiv || clear(v.Args[1]))
	case alu.URem:
		return clear(v.Args[1]) || clear(v.Args[0])
	case alu.UDiv:
		return clear(v.Args[0])
	case alu.Clz, alu.Popcount:
		return true
	}
	return false
}
