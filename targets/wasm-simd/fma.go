package wasmsimd

import (
	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/targets/wasm-simd/wasm"
)

// vectorFMA computes a*b+c of floating-point lanes, rounded once.
func (s *selector) vectorFMA(t alu.Type, in []reg) reg {
	if s.c.opt.FusedMadd {
		return s.do([]wasm.Op{wasm.F32x4RelaxedMadd, wasm.F64x2RelaxedMadd}[laneColumn(t)-4], in...)
	}
	if t == alu.F64 {
		var out reg
		for l := range 2 {
			var x []reg
			for _, r := range in {
				x = append(x, s.doLane(wasm.F64x2ExtractLane, l, r))
			}
			r := s.callFMA(x)
			if l == 0 {
				out = s.do(wasm.F64x2Splat, r)
			} else {
				out = s.doLane(wasm.F64x2ReplaceLane, 1, out, r)
			}
		}
		return out
	}
	half := func(high bool) reg {
		d := make([]reg, 3)
		for i, r := range in {
			if high {
				r = s.highHalf(r)
			}
			d[i] = s.do(wasm.F64x2PromoteLowF32x4, r)
		}
		return s.do(wasm.F32x4DemoteF64x2Zero, s.sumToOdd(s.do(wasm.F64x2Mul, d[0], d[1]), d[2]))
	}
	return s.lowHalves(half(false), half(true))
}

// sumToOdd adds doubles and rounds to odd, that is, sets the last bit of an inexact sum, so
// that a second rounding, to a float, gives the same result as a single one (Boldo &
// Melquiond, 2008). The error of the sum is Knuth's; if the sum is not finite, the error is
// NaN, which compares false.
func (s *selector) sumToOdd(p, c reg) reg {
	sum := s.do(wasm.F64x2Add, p, c)
	t := s.do(wasm.F64x2Sub, sum, p)
	err := s.do(wasm.F64x2Add, s.do(wasm.F64x2Sub, p, s.do(wasm.F64x2Sub, sum, t)), s.do(wasm.F64x2Sub, c, t))
	zero := k(64, 0)
	above := s.do(wasm.F64x2Gt, err, zero)
	inexact := s.do(wasm.V128Or, above, s.do(wasm.F64x2Lt, err, zero))
	even := s.do(wasm.I64x2Eq, s.do(wasm.V128And, sum, k(64, 1)), zero)
	// Away from zero if the error has the sign of the sum, else toward zero.
	step := s.do(wasm.V128Or, s.do(wasm.V128Xor, above, s.do(wasm.F64x2Gt, sum, zero)), k(64, 1))
	step = s.do(wasm.V128And, step, s.do(wasm.V128And, inexact, even))
	return s.do(wasm.I64x2Add, sum, step)
}

// scalarFMA is vectorFMA for scalars.
func (s *selector) scalarFMA(t alu.Type, in []reg) reg {
	if t == alu.F64 && !s.c.opt.FusedMadd {
		return s.callFMA(in)
	}
	if t == alu.F32 && !s.c.opt.FusedMadd {
		d := make([]reg, 3)
		for i, r := range in {
			d[i] = s.do(wasm.F64PromoteF32, r)
		}
		product := s.do(wasm.F64x2Splat, s.do(wasm.F64Mul, d[0], d[1]))
		sum := s.sumToOdd(product, s.do(wasm.F64x2Splat, d[2]))
		return s.do(wasm.F32DemoteF64, s.doLane(wasm.F64x2ExtractLane, 0, sum))
	}
	col := laneColumn(t)
	v := make([]reg, 3)
	for i, r := range in {
		v[i] = s.do(splats[col], r)
	}
	return s.doLane(extracts[col], 0, s.vectorFMA(t, v))
}

// callFMA calls the helper function for doubles.
func (s *selector) callFMA(in []reg) reg {
	s.push(in...)
	s.b.Call(s.c.doubleFMA())
	return s.pop(wasm.F64)
}
