package opt

import (
	"math/bits"
	"slices"

	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/kernel"
)

// Remainders replaces a comparison of the remainder of a division by a constant by a
// multiplication and a comparison, if the remainder has no other use. Times the inverse of
// an odd divisor, modulo the size of the type, multiples of the divisor become the
// smallest numbers, and all other numbers become larger ones. A rotation moves the trailing
// zeros of an even divisor, and the bits of numbers that are no multiples of its power of
// two, to the top.
//
// (Granlund, Montgomery, "Division by Invariant Integers using Multiplication",
// PLDI'94, section 9.)
//
// requires: nothing; maintains: everything
func Remainders(f *kernel.Func, st Stats) {
	var uses []int
	n := 0
	for _, b := range f.Blocks {
		for i := 0; i < len(b.Values); i++ {
			v := b.Values[i]
			if v.Op != alu.Eq && v.Op != alu.Ne || v.Args[1].Op != kernel.Const || !division(v.Args[0]) {
				continue
			}
			if uses == nil {
				uses = UsesOf(f)
			}
			s := strength{f: f, b: b, v: v.Args[0]}
			if uses[s.v.ID] == 1 && s.testRemainder(v) {
				b.Values = slices.Insert(b.Values, i, s.out...)
				i += len(s.out)
				n++
			}
		}
	}
	st.Add("remainder comparisons reduced", n)
	if n > 0 {
		f.Renumber()
	}
}

// testRemainder rewrites test, a comparison of the remainder s.v, as a comparison of a
// product.
func (s *strength) testRemainder(test *kernel.Value) bool {
	t := s.v.Type
	x, d, r, width := s.v.Args[0], s.v.Args[1].Const, test.Args[1].Const, t.Bits()
	signed := s.v.Op == alu.SRem
	if signed && d>>(width-1) != 0 {
		d = -d & t.Mask() // the remainder has the sign of x
	}
	if s.v.Op != alu.URem && !signed || width < 16 || d&(d-1) == 0 || r >= d {
		return false
	}
	was, maxValue := kernel.Replaced(test, x), t.Mask()
	if signed {
		maxValue >>= 1
	}
	zeros := bits.TrailingZeros64(d)
	odd := d >> zeros
	inverse := odd // correct in 3 bits; each iteration doubles them
	for range 5 {
		inverse *= 2 - odd*inverse
	}
	multiples := (maxValue - r) / d // the largest quotient of x
	if r != 0 {
		x = s.op(alu.Sub, x, s.konst(r))
	}
	x = s.op(alu.Mul, x, s.konst(inverse&t.Mask()))
	if signed && r == 0 && !nonNegative(s.v.Args[0], 4) { // and as many multiples below zero
		x = s.op(alu.Add, x, s.konst(multiples<<zeros))
		multiples *= 2
	}
	if zeros > 0 {
		x = s.op(alu.Rotl, x, s.konst(uint64(width-zeros)))
	}
	test.Was = was
	if test.Op == alu.Eq {
		test.Op, test.Args = alu.Ule, []*kernel.Value{x, s.konst(multiples)}
	} else {
		test.Op, test.Args = alu.Ult, []*kernel.Value{s.konst(multiples), x}
	}
	return true
}
