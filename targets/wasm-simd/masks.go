package wasmsimd

import (
	"slices"

	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/targets/wasm-simd/wasm"
	"github.com/simtc/simtc/vir"
)

// resizedMask is a mask with lanes of a size that is not its own.
type resizedMask struct {
	v    *vir.Value
	bits int
	regs []reg
}

// mask returns the mask of an access with an index per lane in lanes of the given size: that of
// addresses or of values. It is kept to the end of the block.
func (s *selector) mask(v *vir.Value, bits int) []reg {
	if v.Op == vir.Const {
		return same(k(bits, -(v.Const&1)), partsFor(v.Type.Lanes, bits))
	}
	if v.Type.LaneBits() == bits {
		return s.get(v)
	}
	for _, r := range s.resized {
		if r.v == v && r.bits == bits {
			return r.regs
		}
	}
	x := s.inLanes(v, bits)
	s.temps = slices.DeleteFunc(s.temps, func(t reg) bool {
		return slices.ContainsFunc(x, func(r reg) bool { return r.local == t.local })
	})
	for p := range x {
		x[p].isTmp = false
	}
	s.resized = append(s.resized, resizedMask{v, bits, x})
	return x
}

// forgetResized frees the masks that were kept in a block.
func (s *selector) forgetResized() {
	for _, r := range s.resized {
		s.give(r.regs)
	}
	s.resized = s.resized[:0]
}

// inLanes returns a mask with lanes of the given size, in temporaries if that is not its own.
func (s *selector) inLanes(v *vir.Value, bits int) []reg {
	x, from := s.get(v), v.Type.LaneBits()
	for from != bits {
		step, to := s.resizeStep(x, from, bits)
		x = make([]reg, partsFor(v.Type.Lanes, to))
		for p := range x {
			x[p] = step(p)
		}
		from = to
	}
	return x
}

// resize changes the size of the lanes of a mask.
func (s *selector) resize(v *vir.Value) {
	bits := v.Type.LaneBits()
	last := bits * 2 // the size before the last step
	if v.Args[0].Type.LaneBits() < bits {
		last = bits / 2
	}
	step, _ := s.resizeStep(s.inLanes(v.Args[0], last), last, bits)
	s.into(v, step)
}

// resizeStep returns a function that computes a part of the mask x with lanes of half or twice the
// size, and that size.
func (s *selector) resizeStep(x []reg, from, to int) (part func(p int) reg, bits int) {
	if from < to {
		return func(p int) reg { return s.do(extensions[from][p%2][1], x[p/2]) }, from * 2
	}
	return func(p int) reg {
		a, b := x[2*p], x[min(2*p+1, len(x)-1)]
		switch from {
		case 16:
			return s.do(wasm.I8x16NarrowI16x8S, a, b)
		case 32:
			return s.do(wasm.I16x8NarrowI32x4S, a, b)
		}
		return s.shuffle(a, b, evenLanes(4))
	}, from / 2
}

// evenLanes selects the lower half of every lane of 2*size bytes.
func evenLanes(size int) [16]byte { return strideLanes(size, 0) }

// oddLanes selects the upper half of every lane of 2*size bytes.
func oddLanes(size int) [16]byte { return strideLanes(size, size) }

func strideLanes(size, first int) (out [16]byte) {
	for i := range out {
		lane, at := i/size, i%size
		out[i] = byte(lane*2*size + first + at)
	}
	return out
}

// extensions is indexed by the bits of the narrow lanes, then low/high, then
// unsigned/signed.
var extensions = map[int][2][2]wasm.Op{
	8:  {{wasm.I16x8ExtendLowI8x16U, wasm.I16x8ExtendLowI8x16S}, {wasm.I16x8ExtendHighI8x16U, wasm.I16x8ExtendHighI8x16S}},
	16: {{wasm.I32x4ExtendLowI16x8U, wasm.I32x4ExtendLowI16x8S}, {wasm.I32x4ExtendHighI16x8U, wasm.I32x4ExtendHighI16x8S}},
	32: {{wasm.I64x2ExtendLowI32x4U, wasm.I64x2ExtendLowI32x4S}, {wasm.I64x2ExtendHighI32x4U, wasm.I64x2ExtendHighI32x4S}},
}

// extend doubles the width of lanes; n is the number of vectors needed.
func (s *selector) extend(in []reg, bits int, signed bool, n int) []reg {
	sign := 0
	if signed {
		sign = 1
	}
	out := make([]reg, n)
	for p := range out {
		out[p] = s.do(extensions[bits][p%2][sign], in[p/2])
	}
	return out
}

// maskOp computes and, or, xor, eq, ne and select of masks.
func (s *selector) maskOp(v *vir.Value) {
	in := make([][]reg, len(v.Args))
	for i, a := range v.Args {
		if a.Type.IsMask() {
			in[i] = s.get(a)
		} else {
			in[i] = same(s.get(a)[0], s.parts(v.Type))
		}
	}
	s.into(v, func(p int) reg {
		switch v.Op {
		case alu.And:
			return s.do(wasm.V128And, in[0][p], in[1][p])
		case alu.Or:
			return s.do(wasm.V128Or, in[0][p], in[1][p])
		case alu.Xor, alu.Ne:
			if isOnes(in[1][p]) {
				return s.do(wasm.V128Not, in[0][p])
			}
			return s.do(wasm.V128Xor, in[0][p], in[1][p])
		case alu.Eq:
			return s.do(wasm.V128Not, s.do(wasm.V128Xor, in[0][p], in[1][p]))
		case alu.Select:
			if v.Args[0].Type.IsMask() {
				return s.do(wasm.V128Bitselect, in[1][p], in[2][p], in[0][p])
			}
			return s.choose(in[1][p], in[2][p], in[0][p])
		}
		s.fail(v, "unsupported operation on masks")
		return zero(wasm.V128)
	})
}

func isOnes(r reg) bool {
	return r.isCst && r.typ == wasm.V128 && r.lo == ^uint64(0) && r.hi == ^uint64(0)
}

func isZero(r reg) bool { return r.isCst && r.lo == 0 && r.hi == 0 }

// allTrue reports whether a mask is the constant of all ones.
func allTrue(v *vir.Value) bool { return v.Op == vir.Const && v.Const&1 != 0 }

// anyLane returns 1 if any lane of a mask is set.
func (s *selector) anyLane(v *vir.Value) reg {
	return s.do(wasm.V128AnyTrue, s.only(v, s.fold(wasm.V128Or, s.get(v))))
}

// only clears the bits of x above the last lane of the mask v, which fills part of a vector or all
// of several.
func (s *selector) only(v *vir.Value, x reg) reg {
	if lanes, ok := lanesOf(v.Type); !ok {
		return s.do(wasm.V128And, x, lanes)
	}
	return x
}

// lanesOf returns a constant with the bits set that a mask occupies, and whether these are all.
func lanesOf(t vir.Type) (lanes reg, all bool) {
	n := t.Bits()
	lanes = k(8, 0xFF)
	if n < 128 {
		lanes.hi = 1<<max(0, n-64) - 1
		lanes.lo = ^uint64(0) >> max(0, 64-n)
	}
	return lanes, n >= 128
}

var allTrueOps = map[int]wasm.Op{8: wasm.I8x16AllTrue, 16: wasm.I16x8AllTrue, 32: wasm.I32x4AllTrue, 64: wasm.I64x2AllTrue}
var bitmaskOps = map[int]wasm.Op{8: wasm.I8x16Bitmask, 16: wasm.I16x8Bitmask, 32: wasm.I32x4Bitmask, 64: wasm.I64x2Bitmask}

// allLanes returns 1 if all lanes of a mask are set.
func (s *selector) allLanes(v *vir.Value) reg {
	bits := v.Type.LaneBits()
	all := s.fold(wasm.V128And, s.get(v))
	if lanes, full := lanesOf(v.Type); !full {
		lanes.lo, lanes.hi = ^lanes.lo, ^lanes.hi
		all = s.do(wasm.V128Or, all, lanes)
	}
	return s.do(allTrueOps[bits], all)
}

func (s *selector) fold(op wasm.Op, rs []reg) reg {
	out := rs[0]
	for _, r := range rs[1:] {
		out = s.do(op, out, r)
	}
	return out
}

// laneBits returns the lanes in part p of a mask as the bits of an i32.
func (s *selector) laneBits(v *vir.Value, p int) reg {
	bits := v.Type.LaneBits()
	set := s.do(bitmaskOps[bits], s.get(v)[p])
	if n := v.Type.Lanes; n < 128/bits {
		set = s.do(wasm.I32And, set, k32(1<<n-1))
	}
	return set
}

// bitmask returns all lanes of a mask as the bits of an i64, lane 0 lowest.
func (s *selector) bitmask(v *vir.Value) reg {
	per := 128 / v.Type.LaneBits()
	acc := k64(0)
	for p := range s.parts(v.Type) {
		part := s.do(wasm.I64ExtendI32U, s.laneBits(v, p))
		if p == 0 {
			acc = part
			continue
		}
		acc = s.do(wasm.I64Or, acc, s.do(wasm.I64Shl, part, k64(int64(p*per))))
	}
	return acc
}
