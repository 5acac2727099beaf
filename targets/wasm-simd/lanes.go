package wasmsimd

import (
	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/targets/wasm-simd/wasm"
	"github.com/simtc/simtc/vir"
)

// special emits the operations specific to vir.
func (s *selector) special(v *vir.Value) {
	switch v.Op {
	case vir.Context:
		s.move(s.def(v)[0], s.do(wasm.I64ExtendI32U, reg{typ: wasm.I32, local: 0}))
	case vir.Splat:
		s.splat(v)
	case vir.Iota:
		s.iota(v)
	case vir.Prefix:
		s.prefix(v)
	case vir.Any, vir.All:
		s.reduce(v)
	case vir.Count:
		s.count(v)
	case vir.Bits:
		s.move(s.def(v)[0], s.bitmask(v.Args[0]))
	case vir.Unbits:
		s.unbits(v)
	case vir.Extract:
		s.extract(v)
	case vir.Insert:
		s.insert(v)
	case vir.First:
		s.first(v)
	case vir.Rank:
		s.rank(v)
	case vir.Resize:
		s.resize(v)
	case vir.Fence:
		s.fence()
	case vir.Part:
		s.rearrange(v, func(l int) (int, int) { return 0, v.Index*v.Type.Lanes + l })
	case vir.Concat:
		var from [][2]int
		for i, a := range v.Args {
			for l := range a.Type.Lanes {
				from = append(from, [2]int{i, l})
			}
		}
		s.rearrange(v, func(l int) (int, int) { return from[l][0], from[l][1] })
	case vir.Shuffle:
		n := v.Args[0].Type.Lanes
		s.rearrange(v, func(l int) (int, int) {
			if i := v.Lanes[l]; i >= n {
				return 1, i - n
			}
			return 0, v.Lanes[l]
		})
	default:
		s.memory(v)
	}
}

func (s *selector) splat(v *vir.Value) {
	x := s.get(v.Args[0])[0]
	switch {
	case v.Type.IsScalar():
		s.move(s.def(v)[0], x)
	case v.Type.IsMask():
		s.move(s.defSame(v), s.splatMask(x))
	default:
		s.move(s.defSame(v), s.do(splats[laneColumn(v.Type.Elem)], x))
	}
}

// splatMask returns lanes of all ones if the scalar is 1, zeros if it is 0.
func (s *selector) splatMask(x reg) reg {
	return s.do(wasm.I32x4Splat, s.do(wasm.I32Sub, k32(0), x))
}

// lanesFrom returns a constant whose lanes count up from first.
func lanesFrom(bits, first int) reg {
	var w [2]uint64
	for l := range 128 / bits {
		x := uint64(first+l) & (1<<(bits-1)<<1 - 1)
		w[l*bits/64] |= x << (l * bits % 64)
	}
	return reg{typ: wasm.V128, isCst: true, lo: w[0], hi: w[1]}
}

func (s *selector) iota(v *vir.Value) {
	if v.Type.IsScalar() {
		s.move(s.def(v)[0], reg{typ: scalarType(v.Type.Elem), isCst: true, lo: uint64(v.Index) & v.Type.Elem.Mask()})
		return
	}
	bits := v.Type.Elem.Bits()
	s.into(v, func(p int) reg { return lanesFrom(bits, v.Index+p*(128/bits)) })
}

// prefix compares lane numbers with the count, clamped to the range of a lane.
func (s *selector) prefix(v *vir.Value) {
	n := s.get(v.Args[0])[0]
	if v.Type.IsScalar() {
		s.move(s.def(v)[0], s.do(wasm.I64LtS, k64(int64(v.Index)), n))
		return
	}
	lanes, bits := int64(v.Type.Lanes), v.Type.LaneBits()
	first := k64(int64(v.Index))
	n = s.choose(s.do(wasm.I64Sub, n, first), k64(0), s.do(wasm.I64GtS, n, first))
	n = s.do(wasm.I32WrapI64, s.choose(n, k64(lanes), s.do(wasm.I64LtS, n, k64(lanes))))
	col := map[int]int{8: 0, 16: 1, 32: 2, 64: 2}[bits]
	if bits == 64 { // compare as 32 bits, widened by the signed 64-bit splat
		n = s.do(wasm.I64ExtendI32U, n)
		col = 3
	}
	count := s.do(splats[col], n)
	less := vectorOps[alu.Slt]
	if bits == 8 {
		less = vectorOps[alu.Ult] // up to 255 lanes
	}
	s.into(v, func(p int) reg { return s.do(less[col], lanesFrom(bits, p*(128/bits)), count) })
}

func (s *selector) reduce(v *vir.Value) {
	a := v.Args[0]
	switch {
	case !a.Type.IsMask():
		s.move(s.def(v)[0], s.get(a)[0])
	case v.Op == vir.Any:
		s.move(s.def(v)[0], s.anyLane(a))
	default:
		s.move(s.def(v)[0], s.allLanes(a))
	}
}

// count adds the popcounts of the mask's registers.
func (s *selector) count(v *vir.Value) {
	a := v.Args[0]
	var n reg
	if a.Type.IsMask() {
		for p := range s.parts(a.Type) {
			if part := s.do(wasm.I32Popcnt, s.laneBits(a, p)); p == 0 {
				n = part
			} else {
				n = s.do(wasm.I32Add, n, part)
			}
		}
	} else {
		n = s.get(a)[0]
	}
	s.move(s.def(v)[0], s.do(wasm.I64ExtendI32U, n))
}

// unbits tests each bit in a separate lane.
func (s *selector) unbits(v *vir.Value) {
	x, bits := s.get(v.Args[0])[0], v.Type.LaneBits()
	per := 128 / bits
	one := reg{typ: wasm.V128, isCst: true} // the bit of each lane
	for l := range per {
		bit := uint64(1) << (l * bits % 64) << l
		if bits == 8 {
			bit = 1 << (l % 8 * 9)
		}
		if l < per/2 {
			one.lo |= bit
		} else {
			one.hi |= bit
		}
	}
	col := laneColumn(alu.IntOf(bits))
	s.into(v, func(p int) reg {
		part := x
		if p > 0 {
			part = s.do(wasm.I64ShrU, x, k64(int64(p*per)))
		}
		if bits < 64 {
			part = s.do(wasm.I32WrapI64, part)
		}
		if bits == 8 { // lanes 0 to 7 test the first byte, 8 to 15 the second
			part = s.do(wasm.I16x8Splat, part)
			part = s.shuffle(part, part, [16]byte{8: 1, 1, 1, 1, 1, 1, 1, 1})
		} else {
			part = s.do(splats[col], part)
		}
		return s.do(vectorOps[alu.Eq][col], s.do(wasm.V128And, part, one), one)
	})
}

func (s *selector) extract(v *vir.Value) {
	a := v.Args[0]
	switch {
	case a.Type.IsScalar():
		s.move(s.def(v)[0], s.get(a)[0])
	case a.Type.IsMask():
		s.move(s.def(v)[0], s.extractMask(a, v.Index))
	default:
		s.move(s.def(v)[0], s.extractLane(a.Type.Elem, s.get(a), v.Index))
	}
}

// extractMask returns lane l of a mask as 0 or 1.
func (s *selector) extractMask(m *vir.Value, l int) reg {
	bits := m.Type.LaneBits()
	x := s.extractLane(alu.IntOf(bits), s.get(m), l)
	if bits == 64 {
		x = s.do(wasm.I32WrapI64, x)
	}
	return s.do(wasm.I32And, x, k32(1))
}

func (s *selector) insert(v *vir.Value) {
	a, x := s.get(v.Args[0]), s.get(v.Args[1])[0]
	if v.Type.IsScalar() {
		s.move(s.def(v)[0], x)
		return
	}
	elem := v.Type.Elem
	per := 128 / elem.Bits()
	s.into(v, func(p int) reg {
		if p != v.Index/per {
			return a[p]
		}
		return s.doLane(replaces[laneColumn(elem)], v.Index%per, a[p], x)
	})
}

// first selects the vector with the first active lane and moves the lane down with a
// swizzle. Without an active lane, the number of trailing zeros is 64, which becomes 0.
func (s *selector) first(v *vir.Value) {
	a, m := v.Args[0], v.Args[1]
	if a.Type.IsScalar() {
		s.move(s.def(v)[0], s.get(a)[0])
		return
	}
	n := int32(a.Type.Lanes)
	if n > 64 {
		s.fail(v, "more than 64 lanes")
		return
	}
	lane := s.do(wasm.I32WrapI64, s.do(wasm.I64Ctz, s.bitmask(m)))
	lane = s.choose(lane, k32(0), s.do(wasm.I32LtU, lane, k32(n)))
	elem, in := a.Type.Elem, s.get(a)
	per := 128 / elem.Bits()
	at := in[0]
	for p := 1; p < len(in); p++ {
		at = s.choose(in[p], at, s.do(wasm.I32GeU, lane, k32(int32(p*per))))
	}
	size := elem.Bits() / 8
	byteAt := s.do(wasm.I32Mul, s.do(wasm.I32And, lane, k32(int32(per-1))), k32(int32(size)))
	index := s.do(wasm.I8x16Add, s.do(wasm.I8x16Splat, byteAt), lanesFrom(8, 0))
	moved := s.do(wasm.I8x16Swizzle, at, index)
	s.move(s.def(v)[0], s.doLane(extracts[laneColumn(elem)], 0, moved))
}

// rearrange builds v from lanes of its operands: from returns the operand and its lane that
// become lane l. Whole vectors are copied; otherwise bytes are gathered from two vectors at
// a time.
func (s *selector) rearrange(v *vir.Value, from func(l int) (arg, lane int)) {
	in := make([][]reg, len(v.Args))
	for i, a := range v.Args {
		in[i] = s.get(a)
	}
	size := v.Type.LaneBits() / 8
	per := 16 / size
	s.into(v, func(p int) reg {
		// The source of each byte: a vector and a byte in it.
		var regs []reg
		var source, at [16]int
		for l := range per {
			lane := p*per + l
			if lane >= v.Type.Lanes {
				lane = p * per // arbitrary
			}
			arg, from := from(lane)
			r := in[arg][from/per]
			n := 0
			for n < len(regs) && regs[n] != r {
				n++
			}
			if n == len(regs) {
				regs = append(regs, r)
			}
			for b := range size {
				source[l*size+b], at[l*size+b] = n, from%per*size+b
			}
		}
		return s.gatherBytes(regs, source, at)
	})
}

// gatherBytes builds a vector from bytes of others.
func (s *selector) gatherBytes(regs []reg, source, at [16]int) reg {
	identity := len(regs) == 1
	for i := range at {
		identity = identity && at[i] == i
	}
	if identity {
		return regs[0]
	}
	var acc reg
	for n := 0; n < len(regs); n += 2 {
		a, b := regs[n], regs[min(n+1, len(regs)-1)]
		var pick [16]byte
		for i := range pick {
			switch source[i] {
			case n:
				pick[i] = byte(at[i])
			case n + 1:
				pick[i] = byte(16 + at[i])
			}
		}
		x := s.shuffle(a, b, pick)
		if n == 0 {
			acc = x
			continue
		}
		var merge [16]byte
		for i := range merge {
			merge[i] = byte(i)
			if source[i] == n || source[i] == n+1 {
				merge[i] += 16
			}
		}
		acc = s.shuffle(acc, x, merge)
	}
	return acc
}
