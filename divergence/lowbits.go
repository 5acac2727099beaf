package divergence

import (
	"math/bits"

	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/alu/interval"
)

// lowBits enumerates the bits of the operands below a power of two that divides all
// operands in lane 0 (constants excepted). If no lane carries into the bits above,
// those are uniform, and it calls f with the low bits of the operands, lane by lane;
// otherwise it reports false.
//
// limit bounds the power of two.
func lowBits(t alu.Type, width int, xs []operand, limit uint64, f func(low []uint64)) bool {
	m := commonAlign(t, xs, limit)
	lows := make([][]uint64, width)
	for l := range lows {
		lows[l] = make([]uint64, len(xs))
		for i, x := range xs {
			if c, ok := x.Constant(); ok {
				lows[l][i] = c & (m - 1)
				continue
			}
			if reach, ok := span(t, x.Shape, l+1); !ok || reach >= m || x.Stride < 0 || x.Step < 0 {
				return false
			}
			lows[l][i] = uint64(x.Offset(int64(l)))
		}
	}
	for _, low := range lows {
		f(low)
	}
	return true
}

// commonAlign returns the least alignment of the operands that are not constants, or
// limit if that is less.
func commonAlign(t alu.Type, xs []operand, limit uint64) uint64 {
	for _, x := range xs {
		if _, ok := x.Constant(); !ok {
			limit = min(limit, alignOf(t, x.Shape))
		}
	}
	return limit
}

// maxAlign is 2^bits, limited to 2^31. An operand of alignment 2^bits is 0 in lane 0,
// and its low bits are the whole number, sign included.
func maxAlign(t alu.Type) uint64 { return 1 << min(t.Bits(), 31) }

// bitwise lists operations for which op(high + low) = op(high) + op(low), where high is
// a multiple of a power of two and low is less than that power. Shifts must be by a
// constant.
var bitwise = map[alu.Op]struct{ shift bool }{
	alu.And: {}, alu.Or: {}, alu.Xor: {}, alu.LShr: {true}, alu.AShr: {true}, alu.Rotl: {true},
}

// inLowBits computes the stride of a bitwise operation in which no lane carries into
// the bits above the alignment, by evaluating the low bits of each lane: x & 15,
// x >> 4 and x / 16 of a contiguous aligned x.
func inLowBits(op alu.Op, t alu.Type, width int, xs []operand) (int64, bool) {
	out, ok := lowResults(op, t, width, xs)
	if !ok {
		return 0, false
	}
	stride := out[1] - out[0]
	for l, v := range out {
		if (v-out[0]-uint64(l)*stride)&t.Mask() != 0 {
			return 0, false
		}
	}
	return int64(stride), true
}

// lowResults returns the results of such an operation for the low bits of each lane.
func lowResults(op alu.Op, t alu.Type, width int, xs []operand) ([]uint64, bool) {
	if !t.IsInt() {
		return nil, false
	}
	op, xs = divisionAsBits(op, t, xs)
	kind, ok := bitwise[op]
	amount := uint64(0)
	if kind.shift {
		if amount, ok = xs[1].Constant(); ok {
			xs = xs[:1]
		}
	}
	if !ok {
		return nil, false
	}
	var out []uint64
	ok = lowBits(t, width, xs, maxAlign(t), func(low []uint64) {
		second := amount
		if !kind.shift {
			second = low[1]
		}
		out = append(out, alu.Eval(op, t, t, low[0], second, 0))
	})
	return out, ok && width >= 2
}

// divisionAsBits turns a division by a power of two into a shift or a mask. The dividend
// of a signed division must be nonnegative.
func divisionAsBits(op alu.Op, t alu.Type, xs []operand) (alu.Op, []operand) {
	var as alu.Op
	switch op {
	case alu.UDiv, alu.SDiv:
		as = alu.LShr
	case alu.URem, alu.SRem:
		as = alu.And
	default:
		return op, xs
	}
	d, ok := divisor(t, xs[1])
	if !ok || d&(d-1) != 0 || (op == alu.SDiv || op == alu.SRem) && !xs[0].Nonnegative() {
		return op, xs
	}
	c := uint64(d - 1)
	if as == alu.LShr {
		c = uint64(bits.TrailingZeros64(uint64(d)))
	}
	return as, []operand{xs[0], {Uniform(1), exactly(t, c), t}}
}

// decided reports whether a comparison of strided operands is uniform.
func decided(op alu.Op, t alu.Type, width int, xs []operand) bool {
	x, y := xs[0], xs[1]
	equality, signed := op == alu.Eq || op == alu.Ne, op == alu.Slt || op == alu.Sle
	if x.Stride == y.Stride && (equality || signed && x.SLinear && y.SLinear || !signed && x.ULinear && y.ULinear) {
		return true // the difference is uniform
	}
	// The bits above the alignment are uniform. Either they decide, or the bits below do.
	count, yes := 0, 0
	ok := lowBits(t, width, xs, maxAlign(t), func(low []uint64) {
		count++
		yes += int(alu.Eval(op, alu.I1, t, low[0], low[1], 0))
	})
	if ok && (yes == 0 || yes == count) {
		return true
	}
	return equality && neverEqual(t, width, xs)
}

// neverEqual reports whether two operands differ below their alignment in all
// lanes.
func neverEqual(t alu.Type, width int, xs []operand) bool {
	m := commonAlign(t, xs, maxAlign(t))
	rest := func(x operand, l int) uint64 {
		if c, ok := x.Constant(); ok {
			return c
		}
		return uint64(l) * uint64(x.Stride)
	}
	for l := range width {
		if (rest(xs[0], l)-rest(xs[1], l))&(m-1) == 0 {
			return false
		}
	}
	return true
}

const largestAlign = 1 << 30

// constAlign returns the alignment of a constant.
func constAlign(bits uint64) int64 {
	if bits == 0 {
		return largestAlign
	}
	return int64(min(bits&-bits, largestAlign))
}

// alignment returns a power of two that divides the result in lane 0.
func alignment(op alu.Op, res alu.Type, xs []operand) int64 {
	t := xs[0].typ
	word := t.IsInt() || t.IsPtr()
	if !word && op != alu.Select {
		return 1
	}
	arg := func(i int) int64 { return max(xs[i].Align, 1) }
	switch op {
	case alu.Add, alu.Sub, alu.Or, alu.Xor, alu.SMin, alu.SMax, alu.UMin, alu.UMax, alu.URem, alu.SRem:
		return min(arg(0), arg(1))
	case alu.And:
		return max(arg(0), arg(1))
	case alu.Select:
		return min(arg(1), arg(2))
	case alu.Mul:
		return min(arg(0)*arg(1), largestAlign)
	case alu.Shl:
		if c, ok := interval.Shift(t, xs[1].Bounds.Bounds); ok {
			return min(arg(0)<<min(c, 30), largestAlign)
		}
		return arg(0)
	case alu.LShr, alu.AShr:
		if c, ok := interval.Shift(t, xs[1].Bounds.Bounds); ok {
			return max(arg(0)>>c, 1)
		}
	case alu.UDiv, alu.SDiv:
		if d, ok := divisor(t, xs[1]); ok && d&(d-1) == 0 {
			return max(arg(0)/d, 1)
		}
	case alu.Trunc:
		return min(arg(0), 1<<min(res.Bits()-1, 30))
	case alu.ZExt, alu.SExt, alu.Abs:
		return arg(0)
	case alu.Bitcast:
		if res.IsInt() || res.IsPtr() {
			return arg(0)
		}
	}
	return 1
}
