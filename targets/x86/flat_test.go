package x86

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/simtc/simtc/targets/mach"
	"github.com/simtc/simtc/targets/x86/asm"
	"github.com/simtc/simtc/targets/x86/emulate"
)

// flat returns f as one list of instructions for the emulator, before or after register
// allocation. Copies go through temporary registers, because they are
// parallel. log, if not nil, returns code to insert before an instruction.
func flat(f *Func, log func(in *asm.Inst) []asm.Inst) []asm.Inst {
	next := f.Next
	var out []asm.Inst
	for i, b := range f.Blocks {
		out = append(out, asm.Bind(asm.Label(i)))
		for k := range b.Insts {
			if log != nil {
				out = append(out, log(&b.Insts[k])...)
			}
			out = append(out, b.Insts[k])
		}
		var after []asm.Inst
		for _, c := range b.Copies {
			t := asm.Reg(mach.Virtual(c.Dst.Class(), next[c.Dst.Class()]))
			next[c.Dst.Class()]++
			out, after = append(out, wholeCopy(t, asm.Reg(c.Src))), append(after, wholeCopy(asm.Reg(c.Dst), t))
		}
		out = append(out, after...)
		switch t := &b.Term; {
		case t.Ret:
			out = append(out, asm.Make(asm.RET))
		case t.Targets != nil:
			labels := make([]asm.Label, len(t.Entries))
			for k, e := range t.Entries {
				labels[k] = asm.Label(t.Targets[e])
			}
			f.Pool.SetTable(asm.ConstID(t.Table), labels)
		case t.Cond:
			out = append(out, asm.JumpIf(asm.Cond(t.On), asm.Label(t.Yes)), asm.Jump(asm.Label(t.No)))
		default:
			out = append(out, asm.Jump(asm.Label(t.Yes)))
		}
	}
	return out
}

func wholeCopy(dst, src asm.Reg) asm.Inst {
	switch dst.Class() {
	case asm.ClassGPR:
		return asm.Make(asm.MOV, dst, src).Bits(asm.Size64)
	case asm.ClassMask:
		return asm.Make(asm.KMOVQ, dst, src)
	}
	return asm.Make(asm.VMOVDQA64, dst, src).Len(asm.V512)
}

// emulator returns a machine with the given memory that runs p, with garbage in its registers.
func emulator(t *testing.T, p *emulate.Program, regions ...emulate.Region) *emulate.Machine {
	t.Helper()
	m, err := emulate.NewMachine(p, regions)
	require.NoError(t, err)
	m.Spoil()
	return m
}
