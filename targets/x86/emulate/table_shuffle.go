package emulate

import "github.com/simtc/simtc/targets/x86/asm"

// Widening, narrowing, permutations, shuffles, extraction and insertion.

var shuffleRows = concat(
	[]row{
		{asm.VPMOVZXBW, widen(1, 2, false)},
		{asm.VPMOVZXBD, widen(1, 4, false)},
		{asm.VPMOVZXBQ, widen(1, 8, false)},
		{asm.VPMOVZXWD, widen(2, 4, false)},
		{asm.VPMOVZXWQ, widen(2, 8, false)},
		{asm.VPMOVZXDQ, widen(4, 8, false)},
		{asm.VPMOVSXBW, widen(1, 2, true)},
		{asm.VPMOVSXBD, widen(1, 4, true)},
		{asm.VPMOVSXBQ, widen(1, 8, true)},
		{asm.VPMOVSXWD, widen(2, 4, true)},
		{asm.VPMOVSXWQ, widen(2, 8, true)},
		{asm.VPMOVSXDQ, widen(4, 8, true)},
	},
	narrow(8, 4, asm.VPMOVQD, asm.VPMOVSQD, asm.VPMOVUSQD),
	narrow(8, 2, asm.VPMOVQW, asm.VPMOVSQW, asm.VPMOVUSQW),
	narrow(8, 1, asm.VPMOVQB, asm.VPMOVSQB, asm.VPMOVUSQB),
	narrow(4, 2, asm.VPMOVDW, asm.VPMOVSDW, asm.VPMOVUSDW),
	narrow(4, 1, asm.VPMOVDB, asm.VPMOVSDB, asm.VPMOVUSDB),
	narrow(2, 1, asm.VPMOVWB, asm.VPMOVSWB, asm.VPMOVUSWB),
	[]row{
		{asm.VPERMW, whole(2, 2, permute)},
		{asm.VPERMD, whole(4, 2, permute)},
		{asm.VPERMQ, whole(8, 2, permute)},
		{asm.VPERMPS, whole(4, 2, permute)},
		{asm.VPERMPD, whole(8, 2, permute)},
		{asm.VPERMQI, whole(8, 1, permuteFour)},
		{asm.VPERMPDI, whole(8, 1, permuteFour)},
		{asm.VPERMI2W, permuteTwo(2, 1, 0, 2)},
		{asm.VPERMI2D, permuteTwo(4, 1, 0, 2)},
		{asm.VPERMI2Q, permuteTwo(8, 1, 0, 2)},
		{asm.VPERMI2PS, permuteTwo(4, 1, 0, 2)},
		{asm.VPERMI2PD, permuteTwo(8, 1, 0, 2)},
		{asm.VPERMT2W, permuteTwo(2, 0, 1, 2)},
		{asm.VPERMT2D, permuteTwo(4, 0, 1, 2)},
		{asm.VPERMT2Q, permuteTwo(8, 0, 1, 2)},
		{asm.VPERMT2PS, permuteTwo(4, 0, 1, 2)},
		{asm.VPERMT2PD, permuteTwo(8, 0, 1, 2)},
		{asm.VPERMILPS, blocks(4, 2, func(m *Machine, from, n, _ int) {
			choose(m, from, n, func(i int) int { return int(m.in[1][from+i] & 3) })
		})},
		{asm.VPERMILPD, blocks(8, 2, func(m *Machine, from, n, _ int) {
			choose(m, from, n, func(i int) int { return int(m.in[1][from+i] >> 1 & 1) })
		})},
		{asm.VPERMILPSI, blocks(4, 1, shuffleDwords)},
		{asm.VPERMILPDI, blocks(8, 1, func(m *Machine, from, n, imm int) {
			choose(m, from, n, func(i int) int { return imm >> (from + i) & 1 })
		})},
		{asm.VPSHUFB, blocks(1, 2, shuffleBytes)},
		{asm.VPSHUFD, blocks(4, 1, shuffleDwords)},
		{asm.VPSHUFLW, blocks(2, 1, func(m *Machine, from, n, imm int) {
			choose(m, from, n, func(i int) int {
				if i < 4 {
					return imm >> (2 * i) & 3
				}
				return i
			})
		})},
		{asm.VPSHUFHW, blocks(2, 1, func(m *Machine, from, n, imm int) {
			choose(m, from, n, func(i int) int {
				if i >= 4 {
					return 4 + imm>>(2*(i-4))&3
				}
				return i
			})
		})},
		{asm.VSHUFPS, blocks(4, 2, func(m *Machine, from, n, imm int) {
			for i := range n {
				m.out[from+i] = m.in[i>>1][from+imm>>(2*i)&3]
			}
		})},
		{asm.VSHUFPD, blocks(8, 2, func(m *Machine, from, n, imm int) {
			for i := range n {
				m.out[from+i] = m.in[i][from+imm>>(from+i)&1]
			}
		})},
		{asm.VSHUFI32X4, shuffleBlocks(4)},
		{asm.VSHUFF32X4, shuffleBlocks(4)},
		{asm.VSHUFI64X2, shuffleBlocks(8)},
		{asm.VSHUFF64X2, shuffleBlocks(8)},
		{asm.VPUNPCKLBW, blocks(1, 2, interleave(0))},
		{asm.VPUNPCKLWD, blocks(2, 2, interleave(0))},
		{asm.VPUNPCKLDQ, blocks(4, 2, interleave(0))},
		{asm.VPUNPCKLQDQ, blocks(8, 2, interleave(0))},
		{asm.VPUNPCKHBW, blocks(1, 2, interleave(1))},
		{asm.VPUNPCKHWD, blocks(2, 2, interleave(1))},
		{asm.VPUNPCKHDQ, blocks(4, 2, interleave(1))},
		{asm.VPUNPCKHQDQ, blocks(8, 2, interleave(1))},
		{asm.VUNPCKLPS, blocks(4, 2, interleave(0))},
		{asm.VUNPCKLPD, blocks(8, 2, interleave(0))},
		{asm.VUNPCKHPS, blocks(4, 2, interleave(1))},
		{asm.VUNPCKHPD, blocks(8, 2, interleave(1))},
		{asm.VPACKSSWB, packTwo(2, saturate)},
		{asm.VPACKSSDW, packTwo(4, saturate)},
		{asm.VPACKUSWB, packTwo(2, saturateUnsigned)},
		{asm.VPACKUSDW, packTwo(4, saturateUnsigned)},
		{asm.VPALIGNR, blocks(1, 2, func(m *Machine, from, n, imm int) {
			for i := range n {
				m.out[from+i] = joined(m, from, n, i+imm)
			}
		})},
		{asm.VALIGND, whole(4, 2, alignElements)},
		{asm.VALIGNQ, whole(8, 2, alignElements)},

		{asm.VEXTRACTI32X4, extract(4, 4)},
		{asm.VEXTRACTI64X2, extract(8, 2)},
		{asm.VEXTRACTI32X8, extract(4, 8)},
		{asm.VEXTRACTI64X4, extract(8, 4)},
		{asm.VEXTRACTF32X4, extract(4, 4)},
		{asm.VEXTRACTF64X2, extract(8, 2)},
		{asm.VEXTRACTF32X8, extract(4, 8)},
		{asm.VEXTRACTF64X4, extract(8, 4)},
		{asm.VINSERTI32X4, insert(4, 4)},
		{asm.VINSERTI64X2, insert(8, 2)},
		{asm.VINSERTI32X8, insert(4, 8)},
		{asm.VINSERTI64X4, insert(8, 4)},
		{asm.VINSERTF32X4, insert(4, 4)},
		{asm.VINSERTF64X2, insert(8, 2)},
		{asm.VINSERTF32X8, insert(4, 8)},
		{asm.VINSERTF64X4, insert(8, 4)},
		{asm.VPEXTRB, extractElement(1)},
		{asm.VPEXTRW, extractElement(2)},
		{asm.VPEXTRD, extractElement(4)},
		{asm.VPEXTRQ, extractElement(8)},
		{asm.VEXTRACTPS, extractElement(4)},
		{asm.VPINSRB, insertElement(1)},
		{asm.VPINSRW, insertElement(2)},
		{asm.VPINSRD, insertElement(4)},
		{asm.VPINSRQ, insertElement(8)},
		{asm.VINSERTPS, insertSingle},
	},
)

func widen(from, to int, signed bool) build {
	return func(t *translator, in *asm.Inst) exec {
		n := elements(in, to)
		d, a := t.target(in, to, n), t.source(in, 1, from, n)
		a.signed = signed
		return run(d, []source{a}, func(m *Machine) { copy(m.out[:n], m.in[0][:n]) })
	}
}

// narrow returns the rows that truncate, saturate, and saturate to unsigned numbers.
func narrow(from, to int, cut, signed, unsigned asm.Op) []row {
	of := func(signed bool, f func(x uint64) uint64) build {
		return func(t *translator, in *asm.Inst) exec {
			n := elements(in, from)
			d, a := t.target(in, to, n), t.source(in, 1, from, n)
			a.signed = signed
			return run(d, []source{a}, func(m *Machine) { map1(m, n, f) })
		}
	}
	top := uint64(1)<<(8*to) - 1
	return []row{
		{cut, of(false, func(x uint64) uint64 { return x })},
		{signed, of(true, func(x uint64) uint64 { return saturate(int64(x), to) })},
		{unsigned, of(false, func(x uint64) uint64 { return min(x, top) })},
	}
}

// permute takes elements of the second source by indices in the first.
func permute(m *Machine, n, _ int) {
	for i := range n {
		m.out[i] = m.in[1][m.in[0][i]&uint64(n-1)]
	}
}

// permuteFour permutes each group of four elements.
func permuteFour(m *Machine, n, imm int) {
	rearrange(m, n, func(i int) int { return i&^3 | imm>>(2*(i&3))&3 })
}

// permuteTwo takes elements of two tables; low, index and high are the numbers of the operands.
func permuteTwo(elem, low, index, high int) build {
	return func(t *translator, in *asm.Inst) exec {
		n := elements(in, elem)
		s := []source{t.source(in, low, elem, n), t.source(in, index, elem, n), t.source(in, high, elem, n)}
		s[2].whole = true
		return run(t.target(in, elem, n), s, func(m *Machine) {
			for i := range n {
				k := int(m.in[1][i]) & (2*n - 1)
				m.out[i] = m.in[k/n*2][k&(n-1)]
			}
		})
	}
}

// choose computes out[from+i] = in[0][from+index(i)] for n elements.
func choose(m *Machine, from, n int, index func(i int) int) {
	for i := range n {
		m.out[from+i] = m.in[0][from+index(i)]
	}
}

func shuffleDwords(m *Machine, from, n, imm int) {
	choose(m, from, n, func(i int) int { return imm >> (2 * i) & 3 })
}

// shuffleBytes permutes bytes within a block; bytes whose index has its top bit set become
// zero.
func shuffleBytes(m *Machine, from, n, _ int) {
	for i := range n {
		k := m.in[1][from+i]
		m.out[from+i] = 0
		if k&0x80 == 0 {
			m.out[from+i] = m.in[0][from+int(k&15)]
		}
	}
}

// shuffleBlocks takes 128-bit blocks of the first source for the lower half of the result, and
// of the second for the upper half.
func shuffleBlocks(elem int) build {
	per := 16 / elem // elements of a block
	return whole(elem, 2, func(m *Machine, n, imm int) {
		blocks := n / per
		for b := range blocks {
			from := imm >> (b * blocks / 2) & (blocks - 1) * per // selected by one or two bits of imm
			copy(m.out[b*per:][:per], m.in[2*b/blocks][from:][:per])
		}
	})
}

// interleave alternates elements of both sources, of their lower or upper halves.
func interleave(half int) func(m *Machine, from, n, imm int) {
	return func(m *Machine, from, n, _ int) {
		for i := range n {
			m.out[from+i] = m.in[i&1][from+half*n/2+i/2]
		}
	}
}

// packTwo narrows elements of both sources to half their size; in each 128 bits those of the
// first precede those of the second. The mask applies to the narrow elements.
func packTwo(from int, f func(x int64, n int) uint64) build {
	return func(t *translator, in *asm.Inst) exec {
		n := elements(in, from)
		d, a, b := t.target(in, from/2, 2*n), t.source(in, 1, from, n), t.source(in, 2, from, n)
		for _, s := range []*source{&a, &b} {
			s.signed, s.whole = true, true
		}
		per := 16 / from
		return run(d, []source{a, b}, func(m *Machine) {
			for i := range n {
				at := i/per*2*per + i%per
				m.out[at] = f(int64(m.in[0][i]), from/2)
				m.out[at+per] = f(int64(m.in[1][i]), from/2)
			}
		})
	}
}

// joined returns element i of the concatenation of n elements of the second source, n of the
// first, and zeros.
func joined(m *Machine, from, n, i int) uint64 {
	switch {
	case i < n:
		return m.in[1][from+i]
	case i < 2*n:
		return m.in[0][from+i-n]
	}
	return 0
}

func alignElements(m *Machine, n, imm int) {
	for i := range n {
		m.out[i] = joined(m, 0, n, i+imm&(n-1))
	}
}

// extract takes part number imm, of n elements.
func extract(elem, n int) build {
	return func(t *translator, in *asm.Inst) exec {
		all := elements(in, elem)
		part := int(in.Imm) & (all/n - 1) * n
		return run(t.target(in, elem, n), []source{t.source(in, 1, elem, all)}, func(m *Machine) {
			copy(m.out[:n], m.in[0][part:])
		})
	}
}

// insert replaces part number imm of the first source, of n elements, by the second.
func insert(elem, n int) build {
	return func(t *translator, in *asm.Inst) exec {
		all := elements(in, elem)
		part := int(in.Imm) & (all/n - 1) * n
		b := t.source(in, 2, elem, n)
		b.whole = true
		return run(t.target(in, elem, all), []source{t.source(in, 1, elem, all), b}, func(m *Machine) {
			copy(m.out[:all], m.in[0][:all])
			copy(m.out[part:], m.in[1][:n])
		})
	}
}

// extractElement zero-extends an element into a register, or stores it.
func extractElement(elem int) build {
	return func(t *translator, in *asm.Inst) exec {
		d, s := t.scalar(in, 0, elem), t.register(in.Args[1], asm.ClassVec)
		if d.kind == inRegister {
			d.size = 8
		}
		at := int(in.Imm) & (16/elem - 1) * elem
		return func(m *Machine) { d.set(m, number(m.vec[s][at:], elem)) }
	}
}

func insertElement(elem int) build {
	return func(t *translator, in *asm.Inst) exec {
		d, a, s := t.register(in.Args[0], asm.ClassVec), t.register(in.Args[1], asm.ClassVec), t.scalar(in, 2, elem)
		at := int(in.Imm) & (16/elem - 1) * elem
		return func(m *Machine) {
			x := s.get(m)
			v := m.vec[a]
			clear(v[16:])
			putNumber(v[at:], elem, x)
			m.vec[d] = v
		}
	}
}

// insertSingle replaces element imm[5:4] of the first source by element imm[7:6] of the second
// (memory has only one), and clears the elements in imm[3:0].
func insertSingle(t *translator, in *asm.Inst) exec {
	imm := int(uint8(in.Imm))
	from, n := imm>>6, 4
	if in.Args[2] == asm.InMem {
		from, n = 0, 1
	}
	s := []source{t.source(in, 1, 4, 4), t.source(in, 2, 4, n)}
	s[1].whole = true
	return run(t.target(in, 4, 4), s, func(m *Machine) {
		copy(m.out[:4], m.in[0][:4])
		m.out[imm>>4&3] = m.in[1][from]
		for i := range 4 {
			if imm>>i&1 != 0 {
				m.out[i] = 0
			}
		}
	})
}
