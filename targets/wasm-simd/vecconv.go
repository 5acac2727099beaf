package wasmsimd

import (
	"math"

	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/targets/wasm-simd/wasm"
	"github.com/simtc/simtc/vir"
)

// floatConst returns a scalar constant of type t.
func floatConst(t alu.Type, x float64) reg {
	if t == alu.F32 {
		return reg{typ: wasm.F32, isCst: true, lo: uint64(math.Float32bits(float32(x)))}
	}
	return reg{typ: wasm.F64, isCst: true, lo: math.Float64bits(x)}
}

// vectorConvert emits the conversions whose result is a vector of numbers.
func (s *selector) vectorConvert(v *vir.Value) {
	from, to := v.Args[0].Type, v.Type
	if from.IsMask() { // zext or sext
		m := s.get(v.Args[0])
		s.into(v, func(p int) reg {
			if v.Op == alu.SExt {
				return m[p]
			}
			return s.do(wasm.V128And, m[p], k(to.Elem.Bits(), 1))
		})
		return
	}
	x := s.get(v.Args[0])
	switch v.Op {
	case alu.Bitcast:
		s.into(v, func(p int) reg { return x[p] })
	case alu.Trunc:
		s.truncate(v, x, from.Elem.Bits())
	case alu.ZExt, alu.SExt:
		for bits := from.Elem.Bits(); bits < to.Elem.Bits(); bits *= 2 {
			x = s.extend(x, bits, v.Op == alu.SExt, partsFor(to.Lanes, 2*bits))
		}
		s.into(v, func(p int) reg { return x[p] })
	case alu.FPTrunc, alu.FPExt:
		s.vectorFloats(v, x)
	case alu.SIToFP, alu.UIToFP:
		s.intToFloat(v, x)
	default:
		s.floatToInt(v, x)
	}
}

func (s *selector) truncate(v *vir.Value, x []reg, bits int) {
	for ; bits > v.Type.Elem.Bits(); bits /= 2 {
		out := make([]reg, partsFor(v.Type.Lanes, bits/2))
		for p := range out {
			out[p] = s.narrow(bits, x[2*p], x[min(2*p+1, len(x)-1)])
		}
		x = out
	}
	s.into(v, func(p int) reg { return x[p] })
}

// lowHalves joins the lower 8 bytes of two vectors.
func (s *selector) lowHalves(a, b reg) reg {
	return s.shuffle(a, b, [16]byte{0, 1, 2, 3, 4, 5, 6, 7, 16, 17, 18, 19, 20, 21, 22, 23})
}

func (s *selector) intToFloat(v *vir.Value, x []reg) {
	signed := v.Op == alu.SIToFP
	pick := func(yes, no wasm.Op) wasm.Op {
		if signed {
			return yes
		}
		return no
	}
	switch {
	case v.Args[0].Type.Elem == alu.I64:
		s.lanewiseConvert(v, x)
	case v.Type.Elem == alu.F32:
		s.into(v, func(p int) reg { return s.do(pick(wasm.F32x4ConvertI32x4S, wasm.F32x4ConvertI32x4U), x[p]) })
	default:
		op := pick(wasm.F64x2ConvertLowI32x4S, wasm.F64x2ConvertLowI32x4U)
		s.into(v, func(p int) reg { return s.do(op, s.half(x, p)) })
	}
}

// half returns the part of 4 narrow lanes that becomes part p of wide ones, in the lower
// half.
func (s *selector) half(x []reg, p int) reg {
	if p%2 == 0 {
		return x[p/2]
	}
	return s.highHalf(x[p/2])
}

// floatToInt converts toward zero; see scalarToInt.
func (s *selector) floatToInt(v *vir.Value, x []reg) {
	from, to := v.Args[0].Type.Elem, v.Type.Elem
	signed := v.Op == alu.FPToSI
	switch {
	case to == alu.I64:
		s.lanewiseConvert(v, x)
	case from == alu.F32 && signed:
		s.into(v, func(p int) reg {
			ok := s.do(wasm.F32x4Lt, x[p], k(32, 0x4F000000)) // 2^31
			return s.do(wasm.V128Bitselect, s.do(wasm.I32x4TruncSatF32x4S, x[p]), k(32, 1<<31), ok)
		})
	case from == alu.F32:
		s.into(v, func(p int) reg {
			ok := s.do(wasm.F32x4Gt, x[p], k(32, 0xBF800000)) // -1
			return s.do(wasm.V128Or, s.do(wasm.I32x4TruncSatF32x4U, x[p]), s.do(wasm.V128Not, ok))
		})
	default:
		s.into(v, func(p int) reg {
			lo, hi := x[2*p], x[min(2*p+1, len(x)-1)]
			conv, cmp, limit := wasm.I32x4TruncSatF64x2SZero, wasm.F64x2Lt, math.Float64bits(1<<31)
			if !signed {
				conv, cmp, limit = wasm.I32x4TruncSatF64x2UZero, wasm.F64x2Gt, math.Float64bits(-1)
			}
			q := s.lowHalves(s.do(conv, lo), s.do(conv, hi))
			ok := s.shuffle(s.do(cmp, lo, k(64, limit)), s.do(cmp, hi, k(64, limit)), evenLanes(4))
			if signed {
				return s.do(wasm.V128Bitselect, q, k(32, 1<<31), ok)
			}
			return s.do(wasm.V128Or, q, s.do(wasm.V128Not, ok))
		})
	}
}

// lanewiseConvert converts each lane with scalar instructions.
func (s *selector) lanewiseConvert(v *vir.Value, x []reg) {
	from, to := v.Args[0].Type.Elem, v.Type.Elem
	out := s.def(v)
	per := 128 / to.Bits()
	for l := range v.Type.Lanes {
		r := s.scalarConvert(v.Op, to, from, s.extractLane(from, x, l))
		dst := out[l/per]
		if l%per == 0 {
			s.move(dst, s.do(splats[laneColumn(to)], r))
		} else {
			s.move(dst, s.doLane(replaces[laneColumn(to)], l%per, dst, r))
		}
	}
}

// vectorFloats converts between floating-point types; halves are lanes of 16 bits.
func (s *selector) vectorFloats(v *vir.Value, x []reg) {
	from, to := v.Args[0].Type.Elem, v.Type.Elem
	lanes := v.Type.Lanes
	if from == alu.F16 {
		x = s.extend(x, 16, false, partsFor(lanes, 32))
		f := make([]reg, len(x))
		for p := range f {
			f[p] = s.halfToFloat(x[p])
		}
		x, from = f, alu.F32
	}
	if from == alu.F32 && to == alu.F64 {
		s.into(v, func(p int) reg { return s.do(wasm.F64x2PromoteLowF32x4, s.half(x, p)) })
		return
	}
	if from == alu.F64 {
		f := make([]reg, partsFor(lanes, 32))
		for p := range f {
			lo, hi := x[2*p], x[min(2*p+1, len(x)-1)]
			if to == alu.F16 {
				f[p] = s.demoteToOdd(lo, hi)
			} else {
				f[p] = s.lowHalves(s.do(wasm.F32x4DemoteF64x2Zero, lo), s.do(wasm.F32x4DemoteF64x2Zero, hi))
			}
		}
		x = f
	}
	if to == alu.F16 {
		h := make([]reg, len(x))
		for p := range h {
			h[p] = s.floatToHalf(x[p])
		}
		s.into(v, func(p int) reg { return s.do(wasm.I16x8NarrowI32x4U, h[2*p], h[min(2*p+1, len(h)-1)]) })
		return
	}
	s.into(v, func(p int) reg { return x[p] })
}

// halfToFloat converts the halves in 32-bit lanes: the exponent is shifted into place and
// rebiased by an exact multiplication, which also normalizes subnormals; infinities and
// NaNs get the maximum exponent.
func (s *selector) halfToFloat(x reg) reg {
	em := s.do(wasm.V128And, x, k(32, 0x7FFF))
	f := s.do(wasm.F32x4Mul, s.do(wasm.I32x4Shl, em, k32(13)), k(32, 0x77800000)) // 2^112
	special := s.do(wasm.V128And, s.do(wasm.I32x4GtS, em, k(32, 0x7BFF)), k(32, 0x7F800000))
	sign := s.do(wasm.I32x4Shl, s.do(wasm.V128And, x, k(32, 0x8000)), k32(16))
	return s.do(wasm.V128Or, s.do(wasm.V128Or, f, special), sign)
}

// floatToHalf rounds to nearest even, into 32-bit lanes.
func (s *selector) floatToHalf(x reg) reg {
	sign := s.do(wasm.V128And, x, k(32, 1<<31))
	a := s.do(wasm.V128Xor, x, sign)
	// Subnormal results: adding 0.5 leaves the rounded significand in the low bits.
	small := s.do(wasm.I32x4Sub, s.do(wasm.F32x4Add, a, k(32, 0x3F000000)), k(32, 0x3F000000))
	// Normal results: rebias, add just under half of the last place, and one more if the
	// last kept bit is odd.
	odd := s.do(wasm.V128And, s.do(wasm.I32x4ShrU, a, k32(13)), k(32, 1))
	r := s.do(wasm.I32x4Add, s.do(wasm.I32x4Add, a, k(32, 0xC8000FFF)), odd)
	out := s.do(wasm.V128Bitselect, small, s.do(wasm.I32x4ShrU, r, k32(13)), s.do(wasm.I32x4LtS, a, k(32, 0x38800000)))
	// 2^16 and above, infinities, NaNs.
	nan := s.do(wasm.V128And, s.do(wasm.I32x4GtS, a, k(32, 0x7F800000)), k(32, 0x0200))
	big := s.do(wasm.V128Or, nan, k(32, 0x7C00))
	out = s.do(wasm.V128Bitselect, big, out, s.do(wasm.I32x4GtS, a, k(32, 0x477FFFFF)))
	return s.do(wasm.V128Or, out, s.do(wasm.I32x4ShrU, sign, k32(16)))
}

// demoteToOdd converts four doubles to floats, rounding to odd, so that a later rounding to
// half gives the same result as rounding the doubles.
func (s *selector) demoteToOdd(lo, hi reg) reg {
	conv := func(x reg) (f, inexact reg) {
		f = s.do(wasm.F32x4DemoteF64x2Zero, x)
		back := s.do(wasm.F64x2PromoteLowF32x4, f)
		// Rounded away from zero: one step back.
		away := s.do(wasm.F64x2Gt, s.do(wasm.F64x2Abs, back), s.do(wasm.F64x2Abs, x))
		ne := s.do(wasm.F64x2Ne, back, x)
		step := s.do(wasm.V128And, away, ne)
		inexact = s.shuffle(ne, step, [16]byte{0, 1, 2, 3, 8, 9, 10, 11, 16, 17, 18, 19, 24, 25, 26, 27})
		return f, inexact
	}
	f0, i0 := conv(lo)
	f1, i1 := conv(hi)
	f := s.lowHalves(f0, f1)
	ne := s.lowHalves(i0, i1)
	step := s.shuffle(i0, i1, [16]byte{8, 9, 10, 11, 12, 13, 14, 15, 24, 25, 26, 27, 28, 29, 30, 31})
	// Toward zero, then the last bit: infinities from overflow become the largest float,
	// which still rounds to an infinite half.
	f = s.do(wasm.I32x4Add, f, step)
	return s.do(wasm.V128Or, f, s.do(wasm.V128And, ne, k(32, 1)))
}
