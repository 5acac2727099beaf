package avx2

import (
	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/targets/x86/asm"
	"github.com/simtc/simtc/targets/x86/isel"
	"github.com/simtc/simtc/vir"
)

// Instructions that narrow the lanes of two registers to half their size saturate them, by the log2 of
// the size. packSigned preserves 0 and -1, packUnsigned numbers that fit the half. Of dwords in pairs,
// VSHUFPS keeps the low ones.
var (
	packSigned   = isel.ElementOps{0, asm.VPACKSSWB, asm.VPACKSSDW, asm.VSHUFPS}
	packUnsigned = isel.ElementOps{0, asm.VPACKUSWB, asm.VPACKUSDW, asm.VSHUFPS}
)

// packParts emits the concatenation of truncated vectors, or of narrowed masks, of as many whole
// registers as fill one, or half of one: it narrows two registers at a time and then puts the groups
// of lanes from each 16 bytes in order.
func (s *selector) packParts(v *vir.Value, d asm.Reg) bool {
	first := v.Args[0]
	n := len(v.Args)
	if n < 2 || first.Op != alu.Trunc && first.Op != vir.Resize || first.Op == alu.Trunc && v.Type.IsMask() {
		return false
	}
	from := first.Args[0].Type
	size, to := from.LaneBits()/8, v.Type.LaneBits()/8
	ratio := size / to
	if from.Bits() != registerBits || n != ratio && 2*n != ratio {
		return false
	}
	for _, a := range v.Args {
		if a.Op != first.Op || !s.Own(a) {
			return false
		}
	}
	packs := packSigned
	if first.Op == alu.Trunc {
		packs = packUnsigned
	}
	regs := make([]asm.Reg, n)
	for i, a := range v.Args {
		regs[i] = s.Reg(a.Args[0])
	}
	for ; size > to; size /= 2 {
		if first.Op == alu.Trunc && size == min(from.LaneBits()/8, 4) {
			s.clearAbove(v, regs, size, to)
		}
		regs = s.packPairs(regs, packs[isel.Log2(size)])
	}
	s.M.Stats.Packed++
	s.orderGroups(d, regs[0], ratio, n == ratio)
	return true
}

// clearAbove clears the bits above the lowest bytes of the lanes of regs, which contain those of the
// operands of v's truncations, unless they are known to be 0.
func (s *selector) clearAbove(v *vir.Value, regs []asm.Reg, size, bytes int) {
	t := vir.Vec(alu.IntOf(8*size), registerBits/8/size)
	per := len(v.Args) / len(regs)
	mask := s.pooledVector(t, 1<<(8*bytes)-1)
	for i, r := range regs {
		fits := true
		for _, a := range v.Args[i*per : (i+1)*per] {
			fits = fits && fitsLow(a.Args[0], 8*bytes, maxFitDepth)
		}
		if !fits {
			regs[i] = s.temp(t)
			s.emit(t, asm.Make(asm.VPANDD, regs[i], r, asm.InMem).WithMem(mask))
		}
	}
}

// packPairs narrows two registers at a time with op; of one register, its halves.
func (s *selector) packPairs(regs []asm.Reg, op asm.Op) (out []asm.Reg) {
	pack := func(x, y asm.Reg, vl asm.VL) asm.Reg {
		r := s.M.NewReg(asm.ClassVec)
		in := asm.Make(op, r, x, y)
		if op == asm.VSHUFPS {
			in = asm.Make(op, r, x, y, asm.InImm).WithImm(0x88)
		}
		s.Emit(in.Len(vl))
		return r
	}
	if len(regs) == 1 {
		high := s.M.NewReg(asm.ClassVec)
		s.Emit(asm.Make(asm.VEXTRACTI32X4, high, regs[0], asm.InImm).WithImm(1).Len(asm.V256))
		return []asm.Reg{pack(regs[0], high, asm.V128)}
	}
	for i := 0; i < len(regs); i += 2 {
		out = append(out, pack(regs[i], regs[i+1], asm.V256))
	}
	return out
}

// orderGroups interleaves the groups of lanes in the halves of x, of which each has one of each
// operand: the lower halves of their lanes come before the upper ones.
func (s *selector) orderGroups(d, x asm.Reg, groups int, whole bool) {
	words := make([]uint64, 16) // of 8 groups of 2 bytes in 16
	for i := range words {
		words[i] = uint64(i/4*2 + i/2%2*8 + i%2)
	}
	switch {
	case groups == 2:
		s.Emit(asm.Make(asm.VPERMQI, d, x, asm.InImm).WithImm(0xD8).Len(asm.V256))
	case groups == 4 && whole:
		index := s.M.NewReg(asm.ClassVec)
		s.Emit(asm.Make(asm.VMOVDQU32, index, asm.InMem).WithMem(s.PooledLanes(4, []uint64{0, 4, 1, 5, 2, 6, 3, 7})).Len(asm.V256))
		s.Emit(asm.Make(asm.VPERMD, d, index, x).Len(asm.V256))
	case groups == 4:
		s.Emit(asm.Make(asm.VPSHUFD, d, x, asm.InImm).WithImm(0xD8).Len(asm.V128))
	case whole:
		q := s.M.NewReg(asm.ClassVec)
		s.Emit(asm.Make(asm.VPERMQI, q, x, asm.InImm).WithImm(0xD8).Len(asm.V256))
		s.Emit(asm.Make(asm.VPSHUFB, d, q, asm.InMem).WithMem(s.PooledLanes(1, append(words, words...))).Len(asm.V256))
	default:
		s.Emit(asm.Make(asm.VPSHUFB, d, x, asm.InMem).WithMem(s.PooledLanes(1, words)).Len(asm.V128))
	}
}

// maxFitDepth bounds the expressions that fitsLow examines.
const maxFitDepth = 4

// fitsLow reports whether the lanes of v, a vector of integers, are below 1<<bits as unsigned numbers.
func fitsLow(v *vir.Value, bits, depth int) bool {
	if depth == 0 {
		return false
	}
	fits := func(i int) bool { return fitsLow(v.Args[i], bits, depth-1) }
	switch v.Op {
	case vir.Const:
		return v.Const>>bits == 0
	case alu.ZExt:
		return v.Args[0].Type.LaneBits() <= bits || v.Args[0].Type.IsMask() || fits(0)
	case alu.And, alu.UMin:
		return fits(0) || fits(1)
	case alu.Or, alu.Xor, alu.UMax:
		return fits(0) && fits(1)
	case alu.Select:
		return fits(1) && fits(2)
	case alu.LShr:
		n := v.Args[1]
		return n.Op == vir.Const && int(n.Const)&(v.Type.Elem.Bits()-1) >= v.Type.Elem.Bits()-bits || fits(0)
	}
	return false
}
