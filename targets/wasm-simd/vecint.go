package wasmsimd

import (
	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/targets/wasm-simd/wasm"
	"github.com/simtc/simtc/vir"
)

// uniformShifts shift all lanes by one scalar, modulo the lanes' width.
var uniformShifts = map[alu.Op]vectorRow{
	alu.Shl:  {wasm.I8x16Shl, wasm.I16x8Shl, wasm.I32x4Shl, wasm.I64x2Shl},
	alu.LShr: {wasm.I8x16ShrU, wasm.I16x8ShrU, wasm.I32x4ShrU, wasm.I64x2ShrU},
	alu.AShr: {wasm.I8x16ShrS, wasm.I16x8ShrS, wasm.I32x4ShrS, wasm.I64x2ShrS},
}

// shift emits shifts and rotations. WebAssembly shifts all lanes by the same amount, so
// shifts by varying amounts are multiplications by powers of two.
func (s *selector) shift(v *vir.Value, in [][]reg) {
	bits := v.Type.Elem.Bits()
	col := laneColumn(v.Type.Elem)
	if n, ok := s.uniformAmount(v.Args[1], in[1]); ok {
		if v.Op != alu.Rotl {
			s.into(v, func(p int) reg { return s.do(uniformShifts[v.Op][col], in[0][p], n) })
			return
		}
		back := k32(-int32(n.lo))
		if !n.isCst {
			back = s.do(wasm.I32Sub, k32(0), n)
		}
		// An amount of 0 shifts by 0 in both directions, since shifts are modulo the width.
		s.into(v, func(p int) reg {
			l := s.do(uniformShifts[alu.Shl][col], in[0][p], n)
			return s.do(wasm.V128Or, l, s.do(uniformShifts[alu.LShr][col], in[0][p], back))
		})
		return
	}
	switch bits {
	case 64:
		s.into(v, func(p int) reg { return s.shift64(v.Op, in[0][p], in[1][p]) })
	case 32:
		s.into(v, func(p int) reg { return s.shift32(v.Op, in[0][p], in[1][p]) })
	default:
		s.narrowShift(v, in)
	}
}

// uniformAmount returns a shift amount that is the same in all lanes as an i32.
func (s *selector) uniformAmount(v *vir.Value, in []reg) (reg, bool) {
	switch v.Op {
	case vir.Const:
		return k32(int32(v.Const & uint64(v.Type.Elem.Bits()-1))), true
	case vir.Splat:
		var r reg
		if x := v.Args[0]; x.Op == vir.Const || s.vals[x.ID] != nil {
			r = s.get(x)[0]
		} else { // its local may have been reused
			r = s.extractLane(v.Type.Elem, in, 0)
		}
		if r.typ == wasm.I64 {
			r = s.do(wasm.I32WrapI64, r)
		}
		return r, true
	}
	return reg{}, false
}

// shift64 shifts a vector of two lanes by each lane's amount and takes one lane of each
// result.
func (s *selector) shift64(op alu.Op, x, n reg) reg {
	n0 := s.do(wasm.I32WrapI64, s.doLane(wasm.I64x2ExtractLane, 0, n))
	n1 := s.do(wasm.I32WrapI64, s.doLane(wasm.I64x2ExtractLane, 1, n))
	each := func(op alu.Op, a, b reg) reg {
		in := uniformShifts[op][3]
		return s.shuffle(s.do(in, x, a), s.do(in, x, b), [16]byte{0, 1, 2, 3, 4, 5, 6, 7, 24, 25, 26, 27, 28, 29, 30, 31})
	}
	if op != alu.Rotl {
		return each(op, n0, n1)
	}
	l := each(alu.Shl, n0, n1)
	return s.do(wasm.V128Or, l, each(alu.LShr, s.do(wasm.I32Sub, k32(0), n0), s.do(wasm.I32Sub, k32(0), n1)))
}

// pow2 returns 1<<n of 32-bit lanes, n below 32. It builds the float -2^n, whose conversion
// is exact even for n = 31, where +2^31 would saturate.
func (s *selector) pow2(n reg) reg {
	f := s.do(wasm.I32x4Add, s.do(wasm.I32x4Shl, n, k32(23)), k(32, 0xBF800000))
	return s.do(wasm.I32x4Neg, s.do(wasm.I32x4TruncSatF32x4S, f))
}

// shift32 shifts 32-bit lanes by varying amounts.
func (s *selector) shift32(op alu.Op, x, n reg) reg {
	n = s.do(wasm.V128And, n, k(32, 31))
	switch op {
	case alu.Shl:
		return s.do(wasm.I32x4Mul, x, s.pow2(n))
	case alu.AShr:
		// Negative numbers: shift the complement, which is not negative.
		sign := s.do(wasm.I32x4ShrS, x, k32(31))
		return s.do(wasm.V128Xor, s.shift32(alu.LShr, s.do(wasm.V128Xor, x, sign), n), sign)
	case alu.LShr:
		// x >> n is bits 31.. of x * 2^(31-n).
		p := s.pow2(s.do(wasm.I32x4Sub, k(32, 31), n))
		lo := s.do(wasm.I64x2ShrU, s.do(wasm.I64x2ExtmulLowI32x4U, x, p), k32(31))
		hi := s.do(wasm.I64x2ShrU, s.do(wasm.I64x2ExtmulHighI32x4U, x, p), k32(31))
		return s.shuffle(lo, hi, evenLanes(4))
	}
	// A rotation combines the two halves of x * 2^n.
	p := s.pow2(n)
	lo := s.do(wasm.I64x2ExtmulLowI32x4U, x, p)
	hi := s.do(wasm.I64x2ExtmulHighI32x4U, x, p)
	return s.do(wasm.V128Or, s.shuffle(lo, hi, evenLanes(4)), s.shuffle(lo, hi, oddLanes(4)))
}

// narrowShift shifts lanes of 8 or 16 bits as lanes of 32.
func (s *selector) narrowShift(v *vir.Value, in [][]reg) {
	bits := v.Type.Elem.Bits()
	x := s.toI32(in[0], v.Type, v.Op == alu.AShr)
	n := s.toI32(in[1], v.Type, false)
	out := make([]reg, len(x))
	for p := range out {
		amount := s.do(wasm.V128And, n[p], k(32, uint64(bits-1)))
		if v.Op != alu.Rotl {
			out[p] = s.shift32(v.Op, x[p], amount)
			continue
		}
		// The bits shifted out of a narrow lane are above it in the wide one.
		l := s.do(wasm.I32x4Mul, x[p], s.pow2(amount))
		out[p] = s.do(wasm.V128Or, l, s.do(wasm.I32x4ShrU, l, k32(int32(bits))))
	}
	s.fromI32(v, out)
}

// toI32 extends integer lanes of 8, 16 or 32 bits to 32.
func (s *selector) toI32(in []reg, t vir.Type, signed bool) []reg {
	for bits := t.Elem.Bits(); bits < 32; bits *= 2 {
		in = s.extend(in, bits, signed, partsFor(t.Lanes, 2*bits))
	}
	return in
}

// fromI32 defines v from the low bits of 32-bit lanes.
func (s *selector) fromI32(v *vir.Value, in []reg) {
	for bits := 32; bits > v.Type.Elem.Bits(); bits /= 2 {
		out := make([]reg, partsFor(v.Type.Lanes, bits/2))
		for p := range out {
			out[p] = s.narrow(bits, in[2*p], in[min(2*p+1, len(in)-1)])
		}
		in = out
	}
	s.into(v, func(p int) reg { return in[p] })
}

// vectorMulHigh returns the upper halves of products.
func (s *selector) vectorMulHigh(v *vir.Value, in [][]reg) {
	bits := v.Type.Elem.Bits()
	rows := map[int][2][2]wasm.Op{ // unsigned, signed; low, high
		8:  {{wasm.I16x8ExtmulLowI8x16U, wasm.I16x8ExtmulHighI8x16U}, {wasm.I16x8ExtmulLowI8x16S, wasm.I16x8ExtmulHighI8x16S}},
		16: {{wasm.I32x4ExtmulLowI16x8U, wasm.I32x4ExtmulHighI16x8U}, {wasm.I32x4ExtmulLowI16x8S, wasm.I32x4ExtmulHighI16x8S}},
		32: {{wasm.I64x2ExtmulLowI32x4U, wasm.I64x2ExtmulHighI32x4U}, {wasm.I64x2ExtmulLowI32x4S, wasm.I64x2ExtmulHighI32x4S}},
	}
	pair, ok := rows[bits]
	if !ok {
		s.lanewise(v, in)
		return
	}
	row := pair[0]
	if v.Op == alu.SMulHi {
		row = pair[1]
	}
	s.into(v, func(p int) reg {
		return s.shuffle(s.do(row[0], in[0][p], in[1][p]), s.do(row[1], in[0][p], in[1][p]), oddLanes(bits/8))
	})
}

// vectorDivide divides lanes of up to 32 bits in floating point. The rounded quotient
// truncates to the exact one: it cannot reach the next integer, which is at least 1/divisor
// away, since the significand has more bits than dividend and divisor together need. 64-bit
// lanes are divided one by one.
// bits than dividend and divisor together need. 64-bit lanes go one by one.
func (s *selector) vectorDivide(v *vir.Value, in [][]reg) {
	t := v.Type
	bits := t.Elem.Bits()
	if bits == 64 {
		s.lanewise(v, in)
		return
	}
	signed := v.Op == alu.SDiv || v.Op == alu.SRem
	a, b := s.toI32(in[0], t, signed), s.toI32(in[1], t, signed)
	out := make([]reg, len(a))
	for p := range out {
		// A divisor of 0 counts as 1: comparing gives -1 there.
		d := s.do(wasm.I32x4Sub, b[p], s.do(wasm.I32x4Eq, b[p], k(32, 0)))
		var q reg
		if bits < 32 {
			fa, fb := s.do(wasm.F32x4ConvertI32x4S, a[p]), s.do(wasm.F32x4ConvertI32x4S, d)
			q = s.do(wasm.I32x4TruncSatF32x4S, s.do(wasm.F32x4Div, fa, fb))
		} else {
			q = s.divide32(a[p], d, signed)
		}
		if v.Op == alu.URem || v.Op == alu.SRem {
			q = s.do(wasm.I32x4Sub, a[p], s.do(wasm.I32x4Mul, q, d))
		}
		out[p] = q
	}
	s.fromI32(v, out)
}

// divide32 divides 32-bit lanes in double precision; b has no zero. Signed operands are
// divided by magnitude, so that MIN / -1 is MIN.
func (s *selector) divide32(a, b reg, signed bool) reg {
	var sign reg
	if signed {
		sign = s.do(wasm.I32x4ShrS, s.do(wasm.V128Xor, a, b), k32(31))
		a, b = s.do(wasm.I32x4Abs, a), s.do(wasm.I32x4Abs, b)
	}
	half := func(a, b reg) reg {
		q := s.do(wasm.F64x2Div, s.do(wasm.F64x2ConvertLowI32x4U, a), s.do(wasm.F64x2ConvertLowI32x4U, b))
		return s.do(wasm.I32x4TruncSatF64x2UZero, q)
	}
	q := s.shuffle(half(a, b), half(s.highHalf(a), s.highHalf(b)), [16]byte{0, 1, 2, 3, 4, 5, 6, 7, 16, 17, 18, 19, 20, 21, 22, 23})
	if signed {
		q = s.do(wasm.I32x4Sub, s.do(wasm.V128Xor, q, sign), sign)
	}
	return q
}

// highHalf moves the upper 8 bytes down.
func (s *selector) highHalf(x reg) reg {
	return s.shuffle(x, x, [16]byte{8, 9, 10, 11, 12, 13, 14, 15, 8, 9, 10, 11, 12, 13, 14, 15})
}

// vectorClz counts leading zeros by the exponent of the number as a float. The bit below
// each set bit is cleared first, so that rounding cannot carry.
func (s *selector) vectorClz(v *vir.Value, in [][]reg) {
	bits := v.Type.Elem.Bits()
	if bits == 64 {
		s.lanewise(v, in)
		return
	}
	x := s.toI32(in[0], v.Type, false)
	out := make([]reg, len(x))
	for p := range out {
		y := s.do(wasm.V128Andnot, x[p], s.do(wasm.I32x4ShrU, x[p], k32(1)))
		e := s.do(wasm.I32x4ShrU, s.do(wasm.F32x4ConvertI32x4U, y), k32(23))
		// 2^31 has exponent 158; 0 has 0, which the minimum turns into 32.
		n := s.do(wasm.I32x4MinU, s.do(wasm.I32x4Sub, k(32, 158), e), k(32, 32))
		if bits < 32 {
			n = s.do(wasm.I32x4Sub, n, k(32, uint64(32-bits)))
		}
		out[p] = n
	}
	s.fromI32(v, out)
}
