package emulate

import "github.com/simtc/simtc/targets/x86/asm"

// Instructions of AVX2 whose mask is a vector.

var vectorMaskRows = []row{
	{asm.VPCMPEQBV, onesWhere(1, false, equal)},
	{asm.VPCMPEQWV, onesWhere(2, false, equal)},
	{asm.VPCMPEQDV, onesWhere(4, false, equal)},
	{asm.VPCMPEQQV, onesWhere(8, false, equal)},
	{asm.VPCMPGTBV, onesWhere(1, true, greater)},
	{asm.VPCMPGTWV, onesWhere(2, true, greater)},
	{asm.VPCMPGTDV, onesWhere(4, true, greater)},
	{asm.VPCMPGTQV, onesWhere(8, true, greater)},
	{asm.VPBLENDVB, blendBySign(1)},
	{asm.VPBLENDW, blendByImm(2)},
	{asm.VPBLENDD, blendByImm(4)},
	{asm.VMOVMSKPS, signsToGPR(4)},
	{asm.VMOVMSKPD, signsToGPR(8)},
	{asm.VPMOVMSKB, signsToGPR(1)},
	{asm.VPTEST, testBits},
	{asm.VPMASKMOVD, maskedMove(4)},
	{asm.VPMASKMOVQ, maskedMove(8)},
	{asm.VPGATHERDDV, gatherBySign(4, 4)},
	{asm.VPGATHERDQV, gatherBySign(4, 8)},
	{asm.VPGATHERQDV, gatherBySign(8, 4)},
	{asm.VPGATHERQQV, gatherBySign(8, 8)},
	{asm.VPERM2I128, permuteBlocks},
}

// onesWhere sets the elements for which f holds to ones, the others to zero.
func onesWhere(elem int, signed bool, f func(x, y uint64) bool) build {
	return lane2(elem, signed, func(x, y uint64) uint64 {
		if f(x, y) {
			return ones(8 * elem)
		}
		return 0
	})
}

// blendByImm takes elements of the second source where the immediate has a bit set, else of
// the first. For words both blocks of 128 bits use the same bits.
func blendByImm(elem int) build {
	return whole(elem, 2, func(m *Machine, n, imm int) {
		for i := range n {
			m.out[i] = m.in[imm>>(i&7)&1][i]
		}
	})
}

// signs returns the sign bits of n elements of a vector register.
func (m *Machine) signs(reg, elem, n int) (r uint64) {
	for i := range n {
		r |= uint64(m.vec[reg][(i+1)*elem-1]>>7) << i
	}
	return r
}

// signsToGPR collects the sign bits in a general-purpose register.
func signsToGPR(elem int) build {
	return func(t *translator, in *asm.Inst) exec {
		d, s, n := t.register(in.Args[0], asm.ClassGPR), t.register(in.Args[1], asm.ClassVec), elements(in, elem)
		return func(m *Machine) { m.gpr[d] = m.signs(s, elem, n) }
	}
}

// testBits sets ZF if no bit is set in both operands, and CF if no bit of the second is clear in
// the first (SDM, PTEST).
func testBits(t *translator, in *asm.Inst) exec {
	n := elements(in, 8)
	a, b := t.source(in, 0, 8, n), t.source(in, 1, 8, n)
	return func(m *Machine) {
		a.load(m, &m.in[0], ones(n))
		b.load(m, &m.in[1], ones(n))
		both, missing := uint64(0), uint64(0)
		for i := range n {
			both |= m.in[0][i] & m.in[1][i]
			missing |= m.in[1][i] &^ m.in[0][i]
		}
		m.setFlags(when(both == 0, zero)|when(missing == 0, carry), 0)
	}
}

// maskedMove loads or stores the elements whose mask has the sign bit set. Others are not
// accessed; loads clear them.
func maskedMove(elem int) build {
	return func(t *translator, in *asm.Inst) exec {
		n, mask := elements(in, elem), t.register(in.Args[1], asm.ClassVec)
		d, s := t.target(in, elem, n), t.source(in, 2, elem, n)
		if d.kind == inMemory {
			return func(m *Machine) {
				s.load(m, &m.in[0], 0)
				d.store(m, &m.in[0], m.signs(mask, elem, n))
			}
		}
		return func(m *Machine) {
			s.load(m, &m.out, m.signs(mask, elem, n))
			d.store(m, &m.out, ones(n))
		}
	}
}

// gatherBySign loads the elements whose mask has the sign bit set, from lowest to highest, and
// clears the mask. After a fault the elements that were not loaded keep their masks; the bits of
// the mask above its elements are cleared in any case.
func gatherBySign(index, elem int) build {
	return func(t *translator, in *asm.Inst) exec {
		n := elements(in, max(index, elem))
		a, at := t.indexed(in, index, n)
		d, mask := t.target(in, elem, n), t.register(in.Args[2], asm.ClassVec)
		return func(m *Machine) {
			active := m.signs(mask, elem, n)
			base := a.of(m)
			at.load(m, &m.in[0], active)
			r, k := &m.vec[d.reg], &m.vec[mask]
			clear(k[n*elem:])
			for i := range n {
				if active>>i&1 != 0 {
					putNumber(r[i*elem:], elem, m.load(base+m.in[0][i]<<a.shift, elem))
				}
				clear(k[i*elem : (i+1)*elem])
			}
			clear(r[n*elem:])
		}
	}
}

// permuteBlocks selects each block of 128 bits from those of both sources, or zero (SDM,
// VPERM2I128).
func permuteBlocks(t *translator, in *asm.Inst) exec {
	return whole(8, 2, func(m *Machine, _, imm int) {
		for b := range 2 {
			control := imm >> (4 * b)
			for i := range 2 {
				m.out[2*b+i] = m.in[control>>1&1][2*(control&1)+i] * uint64(^control>>3&1)
			}
		}
	})(t, in)
}
