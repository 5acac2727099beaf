package x86

import (
	"github.com/simtc/simtc/targets/mach"
	"github.com/simtc/simtc/targets/mach/regalloc"
	"github.com/simtc/simtc/targets/x86/asm"
)

// foldForm identifies an operand of a form of an instruction.
type foldForm struct {
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

// foldForms finds the forms of instructions with a spilled operand in memory.
type foldForms struct {
	f     *Func
	known map[foldForm]bool
}

// fold makes operand r of in, with a slot of the given size, a memory operand. other is in
// before, with its sources exchanged if only the second can be in memory.
func (m *foldForms) fold(in *asm.Inst, r *mach.Reg, bytes int) (other asm.Inst, ok bool) {
	arg := -1
	for i := range in.Args {
		if (*mach.Reg)(&in.Args[i]) == r {
			arg = i
		} else if in.Args[i] == asm.InMem {
			return *in, false
		}
	}
	if arg < 0 || r.Class() == classVec && bytes < in.VL.Bytes() {
		return *in, false
	}
	if !m.canFold(in, arg) {
		if arg != 1 || !exchangeable[in.Op] || !m.canFold(in, 2) {
			return *in, false
		}
		in.Args[1], in.Args[2] = in.Args[2], in.Args[1]
		arg = 2
	}
	other = *in
	in.Args[arg], in.Mem = asm.InMem, asm.At(asm.R14, 0)
	return other, true
}

// folded returns the register of old that is in memory in in, its slot, and old with that
// operand in memory.
func folded(old, in *asm.Inst) (r mach.Reg, s regalloc.Slot, with asm.Inst) {
	for i := range in.Args {
		was := old.Args[i]
		if in.Args[i] != asm.InMem || was == asm.InMem {
			continue
		}
		if old.RoleOf(i) == asm.Read {
			s = slotAt(in, old.VL, was.Class())
		}
		with = *old
		with.Args[i], with.Mem = asm.InMem, in.Mem
		return mach.Reg(was), s, with
	}
	return mach.NoReg, s, with
}

// canFold reports whether in has a form with operand arg in memory that the target
// processor supports.
func (m *foldForms) canFold(in *asm.Inst, arg int) bool {
	key := foldForm{op: in.Op, size: in.Size, vl: in.VL, round: in.Round, arg: int8(arg), masked: in.K != asm.NoReg, zeroing: in.Zeroing}
	for i, r := range in.Args {
		key.classes[i] = r.Class()
	}
	ok, known := m.known[key]
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
	code, err := asm.Assemble([]asm.Inst{trial}, nil, m.f.encoding())
	ok = err == nil && (!m.f.V3 || code.Level <= asm.V3)
	m.known[key] = ok
	return ok
}
