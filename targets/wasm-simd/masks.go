package wasmsimd

import (
	"slices"

	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/targets/wasm-simd/wasm"
	"github.com/simtc/simtc/vir"
)

// mask returns a mask with lanes of 8 to 64 bits. Widths other than maskBits are converted
// on first use and kept to the end of the block, so this must not be called in
// conditionally executed code.
func (s *selector) mask(v *vir.Value, bits int) []reg {
	n := partsFor(v.Type.Lanes, bits)
	if v.Op == vir.Const {
		return same(k(bits, -(v.Const&1)), n)
	}
	if bits == s.maskBits && s.vals[v.ID] != nil {
		return s.vals[v.ID]
	}
	for _, f := range s.forms[v.ID] {
		if f.bits == bits {
			return f.regs
		}
	}
	from, regs := s.maskBits, s.vals[v.ID]
	if regs == nil {
		from, regs = s.forms[v.ID][0].bits, s.forms[v.ID][0].regs
	}
	out := s.convertMask(regs, from, bits, v.Type.Lanes)
	s.addForm(v, bits, out)
	return out
}

// hasForm reports whether mask v is available with lanes of bits.
func (s *selector) hasForm(v *vir.Value, bits int) bool {
	if v.Op == vir.Const || bits == s.maskBits && s.vals[v.ID] != nil {
		return true
	}
	for _, f := range s.forms[v.ID] {
		if f.bits == bits {
			return true
		}
	}
	return false
}

// addForm keeps temporaries as a form of v until the block ends.
func (s *selector) addForm(v *vir.Value, bits int, regs []reg) {
	s.temps = slices.DeleteFunc(s.temps, func(t reg) bool {
		return slices.ContainsFunc(regs, func(r reg) bool { return !r.isCst && r.local == t.local })
	})
	for i := range regs {
		regs[i].isTmp = false
	}
	if len(s.forms[v.ID]) == 0 {
		s.withForms = append(s.withForms, v.ID)
	}
	s.forms[v.ID] = append(s.forms[v.ID], maskForm{bits, regs})
}

func (s *selector) forgetForms() {
	for _, id := range s.withForms {
		for _, f := range s.forms[id] {
			s.give(f.regs)
		}
		s.forms[id] = nil
	}
	s.withForms = s.withForms[:0]
}

// defMask defines v from temporaries with lanes of some width. They are kept unconverted if
// nothing outside the block needs the mask.
func (s *selector) defMask(v *vir.Value, bits int, regs []reg) {
	if bits != s.maskBits {
		if !s.crossing[v.ID] {
			s.addForm(v, bits, regs)
			return
		}
		regs = s.convertMask(regs, bits, s.maskBits, v.Type.Lanes)
	}
	for i, r := range s.def(v) {
		s.move(r, regs[i])
	}
}

// convertMask changes the lane width of a mask; the result is in temporaries.
func (s *selector) convertMask(in []reg, from, to, lanes int) []reg {
	for from > to {
		from /= 2
		out := make([]reg, partsFor(lanes, from))
		for p := range out {
			a, b := in[2*p], in[min(2*p+1, len(in)-1)]
			switch from {
			case 8:
				out[p] = s.do(wasm.I8x16NarrowI16x8S, a, b)
			case 16:
				out[p] = s.do(wasm.I16x8NarrowI32x4S, a, b)
			default:
				out[p] = s.shuffle(a, b, evenLanes(4))
			}
		}
		in = out
	}
	for from < to {
		in = s.extend(in, from, true, partsFor(lanes, from*2))
		from *= 2
	}
	return in
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
	args := v.Args
	// Use a width that all operands are available in, if there is one.
	bits := s.maskBits
	for _, try := range []int{8, 16, 32, 64} {
		if !slices.ContainsFunc(args, func(a *vir.Value) bool { return a.Type.IsMask() && !s.hasForm(a, try) }) {
			bits = try
			break
		}
	}
	if s.crossing[v.ID] {
		bits = s.maskBits
	}
	in := make([][]reg, len(args))
	for i, a := range args {
		if a.Type.IsMask() {
			in[i] = s.mask(a, bits)
		} else {
			in[i] = same(s.get(a)[0], partsFor(v.Type.Lanes, bits))
		}
	}
	out := make([]reg, partsFor(v.Type.Lanes, bits))
	for p := range out {
		switch v.Op {
		case alu.And:
			out[p] = s.do(wasm.V128And, in[0][p], in[1][p])
		case alu.Or:
			out[p] = s.do(wasm.V128Or, in[0][p], in[1][p])
		case alu.Xor, alu.Ne:
			if isOnes(in[1][p]) {
				out[p] = s.do(wasm.V128Not, in[0][p])
			} else {
				out[p] = s.do(wasm.V128Xor, in[0][p], in[1][p])
			}
		case alu.Eq:
			out[p] = s.do(wasm.V128Not, s.do(wasm.V128Xor, in[0][p], in[1][p]))
		case alu.Select:
			if args[0].Type.IsMask() {
				out[p] = s.do(wasm.V128Bitselect, in[1][p], in[2][p], in[0][p])
			} else {
				out[p] = s.choose(in[1][p], in[2][p], in[0][p])
			}
		default:
			s.fail(v, "unsupported operation on masks")
			return
		}
	}
	s.defMask(v, bits, out)
}

func isOnes(r reg) bool {
	return r.isCst && r.typ == wasm.V128 && r.lo == ^uint64(0) && r.hi == ^uint64(0)
}

func isZero(r reg) bool { return r.isCst && r.lo == 0 && r.hi == 0 }

// allTrue reports whether a mask is the constant of all ones.
func allTrue(v *vir.Value) bool { return v.Op == vir.Const && v.Const&1 != 0 }

// anyLane returns 1 if any lane of a mask is set.
func (s *selector) anyLane(v *vir.Value) reg {
	return s.do(wasm.V128AnyTrue, s.fold(wasm.V128Or, s.anyForm(v)))
}

var allTrueOps = map[int]wasm.Op{8: wasm.I8x16AllTrue, 16: wasm.I16x8AllTrue, 32: wasm.I32x4AllTrue, 64: wasm.I64x2AllTrue}
var bitmaskOps = map[int]wasm.Op{8: wasm.I8x16Bitmask, 16: wasm.I16x8Bitmask, 32: wasm.I32x4Bitmask, 64: wasm.I64x2Bitmask}

// allLanes returns 1 if all lanes of a mask are set.
func (s *selector) allLanes(v *vir.Value) reg {
	return s.do(allTrueOps[s.maskBits], s.fold(wasm.V128And, s.mask(v, s.maskBits)))
}

func (s *selector) fold(op wasm.Op, rs []reg) reg {
	out := rs[0]
	for _, r := range rs[1:] {
		out = s.do(op, out, r)
	}
	return out
}

// anyForm returns the smallest available form of a mask that fills its vectors.
func (s *selector) anyForm(v *vir.Value) []reg {
	best := []reg(nil)
	if v.Op == vir.Const || s.vals[v.ID] != nil {
		best = s.get(v)
	}
	for _, f := range s.forms[v.ID] {
		if v.Type.Lanes*f.bits%128 == 0 && (best == nil || len(f.regs) < len(best)) {
			best = f.regs
		}
	}
	if best == nil {
		best = s.mask(v, s.maskBits)
	}
	return best
}

// bitmask returns all lanes of a mask as the bits of an i64, lane 0 lowest.
func (s *selector) bitmask(v *vir.Value) reg {
	per := 128 / s.maskBits
	acc := k64(0)
	for p, r := range s.mask(v, s.maskBits) {
		part := s.do(wasm.I64ExtendI32U, s.do(bitmaskOps[s.maskBits], r))
		if p == 0 {
			acc = part
			continue
		}
		acc = s.do(wasm.I64Or, acc, s.do(wasm.I64Shl, part, k64(int64(p*per))))
	}
	return acc
}
