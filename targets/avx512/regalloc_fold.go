package avx512

import "github.com/simtc/simtc/targets/x86/asm"

// Reload folding: an instruction that accepts a memory operand reads a
// spilled value from its slot, which saves a register and an instruction.

// foldKey identifies an operand of a form of an instruction.
type foldKey struct {
	op      asm.Op
	size    asm.Size
	vl      asm.VL
	round   asm.Round
	arg     int8
	classes [4]asm.Class // distinguishes moves between classes, which share one op
	masked  bool
	zeroing bool
}

// exchangeable contains vector instructions with two commutative sources, so
// that either source can be the memory operand.
var exchangeable = map[asm.Op]bool{
	asm.VPADDB: true, asm.VPADDW: true, asm.VPADDD: true, asm.VPADDQ: true,
	asm.VPMULLW: true, asm.VPMULLD: true, asm.VPMULLQ: true,
	asm.VPANDD: true, asm.VPANDQ: true, asm.VPORD: true, asm.VPORQ: true, asm.VPXORD: true, asm.VPXORQ: true,
	asm.VPMINSD: true, asm.VPMAXSD: true, asm.VPMINUD: true, asm.VPMAXUD: true,
	asm.VADDPS: true, asm.VADDPD: true, asm.VMULPS: true, asm.VMULPD: true,
}

// fold turns one operand of the instruction at i, whose value is not in a register,
// into a memory operand, if there is such a form and worthRegister rejects the value.
// It returns the value, or -1. ops and after are updated for the
// changed instruction.
func (a *allocator) fold(in *asm.Inst, i int32, ops *operands, after []int32) (int32, []int32) {
	w := &a.walk
	for k := range ops.n {
		o := ops.list[k]
		val := &a.vals[o.v]
		if o.role != asm.Read || w.reg[o.v] != noPhys || val.constant || !w.mem[o.v] || val.class == asm.ClassMask ||
			val.class == asm.ClassVec && int(val.size) < in.VL.Bytes() || a.worthRegister(o.v, i, after[k]) {
			continue
		}
		arg := -1
		for j := range in.Args {
			if &in.Args[j] == o.reg {
				arg = j
			} else if in.Args[j] == asm.InMem || in.Args[j].IsVirtual() && a.val(in.Args[j]) == o.v {
				arg = -1
				break
			}
		}
		if arg < 0 || in.K.IsVirtual() && a.val(in.K) == o.v {
			continue
		}
		if !a.canFold(in, arg) {
			if arg != 1 || !exchangeable[in.Op] || !a.canFold(in, 2) {
				continue
			}
			in.Args[1], in.Args[2] = in.Args[2], in.Args[1]
			a.retied = append(a.retied, retied{int32(w.block), i, *in})
			arg = 2
		}
		in.Args[arg], in.Mem = asm.InMem, asm.At(asm.R14, 0)
		w.next[o.v] = after[k]
		old := *ops
		a.gather(in, ops)
		fresh := make([]int32, ops.n)
		for n := range ops.n {
			for m := range old.n {
				if old.list[m].v == ops.list[n].v && old.list[m].role == ops.list[n].role {
					fresh[n] = after[m]
				}
			}
		}
		return o.v, fresh
	}
	return -1, after
}

// worthRegister reports whether a value that is not in a register should get one
// at i, given its next use after i.
func (a *allocator) worthRegister(v, i, next int32) bool {
	if next == never || next-i > 100 {
		return false
	}
	w := &a.walk
	can := a.allowed(v) & w.available(readTime(i)) &^ w.pinned
	if can&w.free != 0 {
		return true
	}
	p := a.victim(can)
	return p != noPhys && w.next[w.holder[p]] > next
}

// canFold reports whether in has a form with operand arg in memory that the target
// processor supports.
func (a *allocator) canFold(in *asm.Inst, arg int) bool {
	key := foldKey{op: in.Op, size: in.Size, vl: in.VL, round: in.Round, arg: int8(arg), masked: in.K != asm.NoReg, zeroing: in.Zeroing}
	for i, r := range in.Args {
		key.classes[i] = r.Class()
	}
	ok, known := a.foldable[key]
	if known {
		return ok
	}
	trial := *in
	trial.Mem = asm.Mem{}
	n := 0
	trial.Regs(func(r *asm.Reg, _ asm.Role) {
		if r.IsVirtual() {
			n++ // avoids rax, zmm0 and k0, which some forms treat specially
			switch r.Class() {
			case asm.ClassGPR:
				*r = asm.GPR(5 + n)
			case asm.ClassVec:
				*r = asm.Vec(n)
			default:
				*r = asm.Mask(1 + n%7)
			}
		}
	})
	trial.Args[arg], trial.Mem = asm.InMem, asm.At(asm.R14, 64)
	code, err := asm.Assemble([]asm.Inst{trial}, nil, a.f.encoding())
	ok = err == nil && (!a.f.v3 || code.Level <= asm.V3)
	if a.foldable == nil {
		a.foldable = map[foldKey]bool{}
	}
	a.foldable[key] = ok
	return ok
}
