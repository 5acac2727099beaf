package wasmsimd

import (
	"math/bits"

	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/targets/wasm-simd/wasm"
	"github.com/simtc/simtc/vir"
)

// nearPowerOfTwo returns n if c, a number of the given size in bits, is 1<<n + 1, or
// 1<<n - 1 if less is set.
func nearPowerOfTwo(c uint64, width int) (n int, less, ok bool) {
	switch {
	case c < 3:
	case (c-1)&(c-2) == 0:
		return bits.TrailingZeros64(c - 1), false, true
	case c&(c+1) == 0 && bits.OnesCount64(c) < width:
		return bits.TrailingZeros64(c + 1), true, true
	}
	return 0, false, false
}

// multiplyScalar emits a product that engines can turn into the sum of an address, which is
// faster than a multiplication.
func (s *selector) multiplyScalar(t alu.Type, a, b reg) (reg, bool) {
	n, less, ok := nearPowerOfTwo(b.lo, t.Bits())
	if !b.isCst || !ok || less || n > 3 || t.Bits() < 32 {
		return reg{}, false
	}
	if t.Bits() == 64 {
		return s.do(wasm.I64Add, a, s.do(wasm.I64Shl, a, k64(int64(n)))), true
	}
	return s.do(wasm.I32Add, a, s.do(wasm.I32Shl, a, k32(int32(n)))), true
}

// multiplyVector emits products with a number next to a power of two as shifts: for 32 bits
// they take half as long, and few processors multiply 64-bit vectors.
func (s *selector) multiplyVector(v *vir.Value, a []reg) bool {
	t, c := v.Type.Elem, v.Args[1]
	if c.Op != vir.Const || t.Bits() < 32 {
		return false
	}
	n, less, ok := nearPowerOfTwo(c.Const&t.Mask(), t.Bits())
	if !ok {
		return false
	}
	col, op := laneColumn(t), alu.Add
	if less {
		op = alu.Sub
	}
	s.into(v, func(p int) reg {
		return s.do(vectorOps[op][col], s.do(uniformShifts[alu.Shl][col], a[p], k32(int32(n))), a[p])
	})
	return true
}
