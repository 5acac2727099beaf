package emulate

import (
	"math/bits"

	"github.com/simtc/simtc/targets/x86/asm"
)

// Integer vector arithmetic, shifts, compares and blends.

var intRows = concat(
	sizes2([]asm.Op{asm.VPADDB, asm.VPADDW, asm.VPADDD, asm.VPADDQ}, false, every(func(x, y uint64) uint64 { return x + y })),
	sizes2([]asm.Op{asm.VPSUBB, asm.VPSUBW, asm.VPSUBD, asm.VPSUBQ}, false, every(func(x, y uint64) uint64 { return x - y })),
	sizes2([]asm.Op{asm.VPADDSB, asm.VPADDSW}, true, func(n int) lane { return func(x, y uint64) uint64 { return saturate(int64(x+y), n) } }),
	sizes2([]asm.Op{asm.VPADDUSB, asm.VPADDUSW}, false, func(n int) lane { return func(x, y uint64) uint64 { return saturateUnsigned(int64(x+y), n) } }),
	sizes2([]asm.Op{asm.VPSUBSB, asm.VPSUBSW}, true, func(n int) lane { return func(x, y uint64) uint64 { return saturate(int64(x-y), n) } }),
	sizes2([]asm.Op{asm.VPSUBUSB, asm.VPSUBUSW}, false, func(n int) lane { return func(x, y uint64) uint64 { return saturateUnsigned(int64(x-y), n) } }),
	sizes2([]asm.Op{asm.VPAVGB, asm.VPAVGW}, false, every(func(x, y uint64) uint64 { return (x + y + 1) >> 1 })),
	sizes2([]asm.Op{asm.VPMINSB, asm.VPMINSW, asm.VPMINSD, asm.VPMINSQ}, true, every(func(x, y uint64) uint64 { return uint64(min(int64(x), int64(y))) })),
	sizes2([]asm.Op{asm.VPMINUB, asm.VPMINUW, asm.VPMINUD, asm.VPMINUQ}, false, every(func(x, y uint64) uint64 { return min(x, y) })),
	sizes2([]asm.Op{asm.VPMAXSB, asm.VPMAXSW, asm.VPMAXSD, asm.VPMAXSQ}, true, every(func(x, y uint64) uint64 { return uint64(max(int64(x), int64(y))) })),
	sizes2([]asm.Op{asm.VPMAXUB, asm.VPMAXUW, asm.VPMAXUD, asm.VPMAXUQ}, false, every(func(x, y uint64) uint64 { return max(x, y) })),
	[]row{
		{asm.VPMULLW, lane2(2, false, func(x, y uint64) uint64 { return x * y })},
		{asm.VPMULLD, lane2(4, false, func(x, y uint64) uint64 { return x * y })},
		{asm.VPMULLQ, lane2(8, false, func(x, y uint64) uint64 { return x * y })},
		{asm.VPMULHW, lane2(2, true, func(x, y uint64) uint64 { return x * y >> 16 })},
		{asm.VPMULHUW, lane2(2, false, func(x, y uint64) uint64 { return x * y >> 16 })},
		{asm.VPMULHRSW, lane2(2, true, func(x, y uint64) uint64 { return (x*y>>14 + 1) >> 1 })},
		{asm.VPMULDQ, lane2(8, false, func(x, y uint64) uint64 { return uint64(int64(int32(x)) * int64(int32(y))) })},
		{asm.VPMULUDQ, lane2(8, false, func(x, y uint64) uint64 { return uint64(uint32(x)) * uint64(uint32(y)) })},
		{asm.VPMADDWD, pairs(4, 2, func(x, y [2]uint64) uint64 {
			return uint64(extend(x[0], 2)*extend(y[0], 2) + extend(x[1], 2)*extend(y[1], 2))
		})},
		{asm.VPMADDUBSW, pairs(2, 1, func(x, y [2]uint64) uint64 {
			return saturate(int64(x[0])*extend(y[0], 1)+int64(x[1])*extend(y[1], 1), 2)
		})},
		{asm.VPDPBUSD, dotProduct(func(sum int64) uint64 { return uint64(sum) })},
		{asm.VPDPBUSDS, dotProduct(func(sum int64) uint64 { return saturate(sum, 4) })},
		{asm.VPSADBW, sumOfDifferences},
		{asm.VDBPSADBW, sumsOfDifferences},

		{asm.VPABSB, lane1(1, true, abs)},
		{asm.VPABSW, lane1(2, true, abs)},
		{asm.VPABSD, lane1(4, true, abs)},
		{asm.VPABSQ, lane1(8, true, abs)},
		{asm.VPLZCNTD, lane1(4, false, func(x uint64) uint64 { return uint64(bits.LeadingZeros32(uint32(x))) })},
		{asm.VPLZCNTQ, lane1(8, false, func(x uint64) uint64 { return uint64(bits.LeadingZeros64(x)) })},
		{asm.VPCONFLICTD, conflicts(4)},
		{asm.VPCONFLICTQ, conflicts(8)},

		{asm.VPANDD, bitwise2(4, and)},
		{asm.VPANDQ, bitwise2(8, and)},
		{asm.VPANDND, bitwise2(4, notAnd)},
		{asm.VPANDNQ, bitwise2(8, notAnd)},
		{asm.VPORD, bitwise2(4, or)},
		{asm.VPORQ, bitwise2(8, or)},
		{asm.VPXORD, bitwise2(4, xor)},
		{asm.VPXORQ, bitwise2(8, xor)},
		{asm.VPTERNLOGD, ternary(4)},
		{asm.VPTERNLOGQ, ternary(8)},

		{asm.VPSLLW, shiftAll(2, false, shiftLeft)},
		{asm.VPSLLD, shiftAll(4, false, shiftLeft)},
		{asm.VPSLLQ, shiftAll(8, false, shiftLeft)},
		{asm.VPSRAW, shiftAll(2, true, shiftSigned)},
		{asm.VPSRAD, shiftAll(4, true, shiftSigned)},
		{asm.VPSRAQ, shiftAll(8, true, shiftSigned)},
		{asm.VPSRLW, shiftAll(2, false, shiftRight)},
		{asm.VPSRLD, shiftAll(4, false, shiftRight)},
		{asm.VPSRLQ, shiftAll(8, false, shiftRight)},
		{asm.VPSLLWI, laneImm(2, false, shiftLeft)},
		{asm.VPSLLDI, laneImm(4, false, shiftLeft)},
		{asm.VPSLLQI, laneImm(8, false, shiftLeft)},
		{asm.VPSRAWI, laneImm(2, true, shiftSigned)},
		{asm.VPSRADI, laneImm(4, true, shiftSigned)},
		{asm.VPSRAQI, laneImm(8, true, shiftSigned)},
		{asm.VPSRLWI, laneImm(2, false, shiftRight)},
		{asm.VPSRLDI, laneImm(4, false, shiftRight)},
		{asm.VPSRLQI, laneImm(8, false, shiftRight)},
		{asm.VPSLLDQI, shiftBytes(true)},
		{asm.VPSRLDQI, shiftBytes(false)},
		{asm.VPSLLVW, lane2(2, false, shiftLeft)},
		{asm.VPSLLVD, lane2(4, false, shiftLeft)},
		{asm.VPSLLVQ, lane2(8, false, shiftLeft)},
		{asm.VPSRAVW, lane2(2, true, shiftSignedWord)},
		{asm.VPSRAVD, lane2(4, true, shiftSignedDword)},
		{asm.VPSRAVQ, lane2(8, true, shiftSigned)},
		{asm.VPSRLVW, lane2(2, false, shiftRight)},
		{asm.VPSRLVD, lane2(4, false, shiftRight)},
		{asm.VPSRLVQ, lane2(8, false, shiftRight)},
		{asm.VPROLDI, laneImm(4, false, rotateLeft32)},
		{asm.VPROLQI, laneImm(8, false, rotateLeft64)},
		{asm.VPRORDI, laneImm(4, false, func(x, n uint64) uint64 { return rotateLeft32(x, -n) })},
		{asm.VPRORQI, laneImm(8, false, func(x, n uint64) uint64 { return rotateLeft64(x, -n) })},
		{asm.VPROLVD, lane2(4, false, rotateLeft32)},
		{asm.VPROLVQ, lane2(8, false, rotateLeft64)},
		{asm.VPRORVD, lane2(4, false, func(x, n uint64) uint64 { return rotateLeft32(x, -n) })},
		{asm.VPRORVQ, lane2(8, false, func(x, n uint64) uint64 { return rotateLeft64(x, -n) })},

		{asm.VPCMPB, compareBy(1, true)},
		{asm.VPCMPW, compareBy(2, true)},
		{asm.VPCMPD, compareBy(4, true)},
		{asm.VPCMPQ, compareBy(8, true)},
		{asm.VPCMPUB, compareBy(1, false)},
		{asm.VPCMPUW, compareBy(2, false)},
		{asm.VPCMPUD, compareBy(4, false)},
		{asm.VPCMPUQ, compareBy(8, false)},
		{asm.VPCMPEQB, toMask(1, false, equal)},
		{asm.VPCMPEQW, toMask(2, false, equal)},
		{asm.VPCMPEQD, toMask(4, false, equal)},
		{asm.VPCMPEQQ, toMask(8, false, equal)},
		{asm.VPCMPGTB, toMask(1, true, greater)},
		{asm.VPCMPGTW, toMask(2, true, greater)},
		{asm.VPCMPGTD, toMask(4, true, greater)},
		{asm.VPCMPGTQ, toMask(8, true, greater)},
		{asm.VPTESTMB, toMask(1, false, common)},
		{asm.VPTESTMW, toMask(2, false, common)},
		{asm.VPTESTMD, toMask(4, false, common)},
		{asm.VPTESTMQ, toMask(8, false, common)},
		{asm.VPTESTNMB, toMask(1, false, disjoint)},
		{asm.VPTESTNMW, toMask(2, false, disjoint)},
		{asm.VPTESTNMD, toMask(4, false, disjoint)},
		{asm.VPTESTNMQ, toMask(8, false, disjoint)},

		{asm.VPBLENDMB, blend(1)},
		{asm.VPBLENDMW, blend(2)},
		{asm.VPBLENDMD, blend(4)},
		{asm.VPBLENDMQ, blend(8)},
		{asm.VBLENDMPS, blend(4)},
		{asm.VBLENDMPD, blend(8)},
		{asm.VPMOVM2B, fromMask(1)},
		{asm.VPMOVM2W, fromMask(2)},
		{asm.VPMOVM2D, fromMask(4)},
		{asm.VPMOVM2Q, fromMask(8)},
		{asm.VPMOVB2M, signMask(1)},
		{asm.VPMOVW2M, signMask(2)},
		{asm.VPMOVD2M, signMask(4)},
		{asm.VPMOVQ2M, signMask(8)},
	},
)

// lane computes an element.
type lane = func(x, y uint64) uint64

// every returns a function that gives the same lane for all sizes.
func every(f lane) func(n int) lane { return func(int) lane { return f } }

// sizes2 returns the rows of dst[i] = f(bytes)(a[i], b[i]) for elements of 1, 2, 4 and 8 bytes.
func sizes2(ops []asm.Op, signed bool, f func(n int) lane) []row {
	var out []row
	for i, op := range ops {
		n := 1 << i
		out = append(out, row{op, lane2(n, signed, f(n))})
	}
	return out
}

// saturate returns the number of n bytes nearest to x.
func saturate(x int64, n int) uint64 {
	limit := int64(1)<<(8*n-1) - 1
	return uint64(max(-limit-1, min(x, limit)))
}

// saturateUnsigned returns the unsigned number of n bytes nearest to x.
func saturateUnsigned(x int64, n int) uint64 {
	return uint64(max(0, min(x, int64(1)<<(8*n)-1)))
}

func abs(x uint64) uint64 {
	if int64(x) < 0 {
		return -x
	}
	return x
}

func and(x, y uint64) uint64    { return x & y }
func notAnd(x, y uint64) uint64 { return ^x & y }
func or(x, y uint64) uint64     { return x | y }
func xor(x, y uint64) uint64    { return x ^ y }

// Shifts by counts out of range give zeros or signs. Elements are extended, so the bits
// shifted in from above are correct; counts are not extended.
func shiftLeft(x, count uint64) uint64  { return x << count }
func shiftRight(x, count uint64) uint64 { return x >> count }
func shiftSigned(x, count uint64) uint64 {
	return uint64(int64(x) >> count)
}

// Counts per element are unsigned, although signed sources are sign-extended.
func shiftSignedWord(x, count uint64) uint64  { return shiftSigned(x, uint64(uint16(count))) }
func shiftSignedDword(x, count uint64) uint64 { return shiftSigned(x, uint64(uint32(count))) }

func rotateLeft32(x, count uint64) uint64 {
	return uint64(bits.RotateLeft32(uint32(x), int(count&31)))
}
func rotateLeft64(x, count uint64) uint64 { return bits.RotateLeft64(x, int(count&63)) }

// pairs builds dst[i] = f of two adjacent elements of each source.
func pairs(elem, from int, f func(x, y [2]uint64) uint64) build {
	return func(t *translator, in *asm.Inst) exec {
		n := elements(in, elem)
		d, a, b := t.target(in, elem, n), t.source(in, 1, from, 2*n), t.source(in, 2, from, 2*n)
		a.whole, b.whole = true, true
		return run(d, []source{a, b}, func(m *Machine) {
			for i := range n {
				m.out[i] = f([2]uint64(m.in[0][2*i:]), [2]uint64(m.in[1][2*i:]))
			}
		})
	}
}

// dotProduct adds the products of four unsigned and four signed bytes to each element of 32
// bits; round reduces the sum.
func dotProduct(round func(sum int64) uint64) build {
	return func(t *translator, in *asm.Inst) exec {
		n := elements(in, 4)
		return run(t.target(in, 4, n), []source{t.source(in, 0, 4, n), t.source(in, 1, 4, n), t.source(in, 2, 4, n)}, func(m *Machine) {
			for i := range n {
				sum := extend(m.in[0][i], 4)
				for shift := 0; shift < 32; shift += 8 {
					sum += int64(uint8(m.in[1][i]>>shift)) * int64(int8(m.in[2][i]>>shift))
				}
				m.out[i] = uint64(uint32(round(sum)))
			}
		})
	}
}

func difference(x, y uint64) uint64 { return max(x, y) - min(x, y) }

// sumOfDifferences sums over eight bytes.
func sumOfDifferences(t *translator, in *asm.Inst) exec {
	n := elements(in, 8)
	d, a, b := t.target(in, 8, n), t.source(in, 1, 1, 8*n), t.source(in, 2, 1, 8*n)
	b.whole = true
	return run(d, []source{a, b}, func(m *Machine) {
		for i := range n {
			sum := uint64(0)
			for j := 8 * i; j < 8*i+8; j++ {
				sum += difference(m.in[0][j], m.in[1][j])
			}
			m.out[i] = sum
		}
	})
}

// sumsOfDifferences compares four bytes of the first source with four of the second, whose
// dwords are selected by the immediate, at offsets 0 to 3 (SDM, VDBPSADBW).
func sumsOfDifferences(t *translator, in *asm.Inst) exec {
	n, imm := elements(in, 2), int(uint8(in.Imm))
	d, a, b := t.target(in, 2, n), t.source(in, 1, 1, 2*n), t.source(in, 2, 1, 2*n)
	b.whole = true
	return run(d, []source{a, b}, func(m *Machine) {
		for i := range n {
			block, word := 2*(i&^7), i&7 // the first byte of 128 bits, and the word in them
			sum := uint64(0)
			for j := range 4 {
				x := 8*(word>>2) + 4*(word>>1&1) + j
				y := 8*(word>>2) + word&3 + j // in the selected dwords
				sum += difference(m.in[0][block+x], m.in[1][block+4*(imm>>(y>>2*2)&3)+y&3])
			}
			m.out[i] = sum
		}
	})
}

// conflicts sets each element to the mask of the equal elements before it, including
// masked-off ones.
func conflicts(elem int) build {
	return func(t *translator, in *asm.Inst) exec {
		n := elements(in, elem)
		a := t.source(in, 1, elem, n)
		a.whole = true
		return run(t.target(in, elem, n), []source{a}, func(m *Machine) {
			for i := range n {
				m.out[i] = 0
				for j := range i {
					if m.in[0][i] == m.in[0][j] {
						m.out[i] |= 1 << j
					}
				}
			}
		})
	}
}

// ternary looks up each bit of dst, a and b in the immediate.
func ternary(elem int) build {
	return func(t *translator, in *asm.Inst) exec {
		e := unmaskedElem(in, elem)
		n := elements(in, e)
		s := []source{t.source(in, 0, e, n), t.source(in, 1, e, n), t.source(in, 2, e, n)}
		imm := uint8(in.Imm)
		return run(t.target(in, e, n), s, func(m *Machine) {
			for i := range n {
				x, y, z := m.in[0][i], m.in[1][i], m.in[2][i]
				r := uint64(0)
				for k := imm; k != 0; k &= k - 1 {
					j := uint64(bits.TrailingZeros8(k))
					r |= (x ^ (j>>2&1 - 1)) & (y ^ (j>>1&1 - 1)) & (z ^ (j&1 - 1))
				}
				m.out[i] = r
			}
		})
	}
}

// shiftAll shifts all elements by the low 64 bits of a 128-bit vector.
func shiftAll(elem int, signed bool, f func(x, count uint64) uint64) build {
	return func(t *translator, in *asm.Inst) exec {
		n := elements(in, elem)
		d, a, b := t.target(in, elem, n), t.source(in, 1, elem, n), t.source(in, 2, 8, 2)
		a.signed, b.whole = signed, true
		return run(d, []source{a, b}, func(m *Machine) {
			count := m.in[1][0]
			map1(m, n, func(x uint64) uint64 { return f(x, count) })
		})
	}
}

// shiftBytes shifts each 128-bit block by a number of bytes.
func shiftBytes(left bool) build {
	return blocks(1, 1, func(m *Machine, from, n, imm int) {
		for i := range n {
			j := i + imm
			if left {
				j = i - imm
			}
			m.out[from+i] = 0
			if j >= 0 && j < n {
				m.out[from+i] = m.in[0][from+j]
			}
		}
	})
}

func equal(x, y uint64) bool    { return x == y }
func greater(x, y uint64) bool  { return int64(x) > int64(y) }
func common(x, y uint64) bool   { return x&y != 0 }
func disjoint(x, y uint64) bool { return x&y == 0 }

// Predicates of integer compares by their immediate.
var (
	signedPredicates = [8]func(x, y uint64) bool{
		equal, func(x, y uint64) bool { return int64(x) < int64(y) }, func(x, y uint64) bool { return int64(x) <= int64(y) },
		never, func(x, y uint64) bool { return x != y }, func(x, y uint64) bool { return int64(x) >= int64(y) }, greater, always,
	}
	unsignedPredicates = [8]func(x, y uint64) bool{
		equal, func(x, y uint64) bool { return x < y }, func(x, y uint64) bool { return x <= y },
		never, func(x, y uint64) bool { return x != y }, func(x, y uint64) bool { return x >= y }, func(x, y uint64) bool { return x > y }, always,
	}
)

func never(x, y uint64) bool  { return false }
func always(x, y uint64) bool { return true }

func compareBy(elem int, signed bool) build {
	return func(t *translator, in *asm.Inst) exec {
		f := unsignedPredicates[in.Imm&7]
		if signed {
			f = signedPredicates[in.Imm&7]
		}
		return t.compare(in, elem, signed, f)
	}
}

// blend takes elements from the second source if their mask bit is set, else from the first.
func blend(elem int) build {
	return func(t *translator, in *asm.Inst) exec {
		n := elements(in, elem)
		d, a, b := t.target(in, elem, n), t.source(in, 1, elem, n), t.source(in, 2, elem, n)
		return func(m *Machine) {
			active := d.active(m)
			a.load(m, &m.in[0], ones(n))
			b.load(m, &m.in[1], active)
			for i := range n {
				switch {
				case active>>i&1 != 0:
					m.out[i] = m.in[1][i]
				case d.zeroing:
					m.out[i] = 0
				default:
					m.out[i] = m.in[0][i]
				}
			}
			d.store(m, &m.out, ones(n))
		}
	}
}

// fromMask sets elements to ones or zero by the bits of a mask.
func fromMask(elem int) build {
	return func(t *translator, in *asm.Inst) exec {
		n := elements(in, elem)
		d, s := t.target(in, elem, n), t.register(in.Args[1], asm.ClassMask)
		return func(m *Machine) {
			for i := range n {
				m.out[i] = -(m.mask[s] >> i & 1)
			}
			d.store(m, &m.out, ones(n))
		}
	}
}

// signMask builds dst = the mask of the sign bits of the elements.
func signMask(elem int) build {
	return func(t *translator, in *asm.Inst) exec {
		n := elements(in, elem)
		d, a := t.register(in.Args[0], asm.ClassMask), t.source(in, 1, elem, n)
		return func(m *Machine) {
			a.load(m, &m.in[0], ones(n))
			r := uint64(0)
			for i := range n {
				r |= m.in[0][i] >> (8*elem - 1) << i
			}
			m.mask[d] = r
		}
	}
}
