package wasmsimd

import (
	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/targets/wasm-simd/wasm"
)

// dotProduct sums the products of unsigned and signed bytes with an accumulator.
func (s *selector) dotProduct(op alu.Op, in []reg) reg {
	sum := s.sumOfByteProducts(in, scalarByteOps)
	if op == alu.DotUSSat {
		return s.saturate(alu.SAddSat, alu.I32, sum, in[2])
	}
	return s.do(scalarByteOps.add, sum, in[2])
}

// dotProductVector computes it in lanes of 32 bits.
func (s *selector) dotProductVector(op alu.Op, in []reg) reg {
	sum := s.sumOfByteProducts(in, vectorByteOps)
	if op == alu.DotUSSat {
		return s.saturateVector(alu.SAddSat, alu.I32, sum, in[2])
	}
	return s.do(vectorByteOps.add, sum, in[2])
}

// byteOps holds the instructions on 32-bit integers that extract bytes and sum products.
type byteOps struct{ shl, shrS, shrU, mul, add wasm.Op }

var (
	scalarByteOps = byteOps{wasm.I32Shl, wasm.I32ShrS, wasm.I32ShrU, wasm.I32Mul, wasm.I32Add}
	vectorByteOps = byteOps{wasm.I32x4Shl, wasm.I32x4ShrS, wasm.I32x4ShrU, wasm.I32x4Mul, wasm.I32x4Add}
)

func (s *selector) sumOfByteProducts(in []reg, o byteOps) reg {
	top := k32(24)
	byteAt := func(x reg, k int, extend wasm.Op) reg {
		if k < 3 {
			x = s.do(o.shl, x, k32(int32(24-8*k)))
		}
		return s.do(extend, x, top)
	}
	var sum reg
	for k := range 4 {
		product := s.do(o.mul, byteAt(in[0], k, o.shrU), byteAt(in[1], k, o.shrS))
		if k == 0 {
			sum = product
		} else {
			sum = s.do(o.add, sum, product)
		}
	}
	return sum
}
