package wasmsimd

import (
	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/targets/wasm-simd/wasm"
)

// saturate computes a saturating scalar sum or difference. Overflow shows as an unsigned
// sum less than an operand, or in the signs of the operands and the result.
func (s *selector) saturate(op alu.Op, t alu.Type, a, b reg) reg {
	col := column(t)
	do := func(op alu.Op, x, y reg) reg { return s.do(scalarOps[op][col], x, y) }
	konst := func(x uint64) reg { return reg{typ: a.typ, isCst: true, lo: x} }
	switch op {
	case alu.UAddSat:
		sum := s.cut(t, do(alu.Add, a, b))
		return s.choose(konst(t.Mask()), sum, do(alu.Ult, sum, a))
	case alu.USubSat:
		return s.choose(konst(0), do(alu.Sub, a, b), do(alu.Ult, a, b))
	}
	x, y := s.signed(t, a), s.signed(t, b)
	var r, other reg // on overflow, r differs from x in sign, and y from other
	if op == alu.SAddSat {
		r = s.signed(t, do(alu.Add, x, y))
		other = r
	} else {
		r = s.signed(t, do(alu.Sub, x, y))
		other = x
	}
	passes := do(alu.Slt, do(alu.And, do(alu.Xor, x, r), do(alu.Xor, y, other)), konst(0))
	bound := do(alu.Xor, do(alu.AShr, x, konst(uint64(t.Bits()-1))), konst(t.Mask()>>1))
	return s.cut(t, s.choose(bound, r, passes))
}

// saturateVector computes it on lanes of 32 and 64 bits, which have no such instruction.
func (s *selector) saturateVector(op alu.Op, t alu.Type, a, b reg) reg {
	bits := t.Bits()
	do := func(op alu.Op, x, y reg) reg { return s.do(vectorOps[op][laneColumn(t)], x, y) }
	least := func(x, y reg) reg {
		if bits == 64 {
			return s.minMax64(alu.UMin, x, y)
		}
		return do(alu.UMin, x, y)
	}
	switch op {
	case alu.UAddSat: // add at most the difference from the maximum
		return do(alu.Add, a, least(b, s.do(wasm.V128Not, a)))
	case alu.USubSat:
		return do(alu.Sub, a, least(a, b))
	}
	var r, other reg
	if op == alu.SAddSat {
		r = do(alu.Add, a, b)
		other = r
	} else {
		r = do(alu.Sub, a, b)
		other = a
	}
	signs := func(x reg) reg {
		return s.do(map[int]wasm.Op{32: wasm.I32x4ShrS, 64: wasm.I64x2ShrS}[bits], x, k32(int32(bits-1)))
	}
	passes := signs(do(alu.And, do(alu.Xor, a, r), do(alu.Xor, b, other)))
	bound := do(alu.Xor, signs(a), k(bits, t.Mask()>>1))
	return s.do(wasm.V128Bitselect, bound, r, passes)
}
