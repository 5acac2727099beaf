package avx512

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/simtc/simtc/targets/x86/asm"
	"github.com/simtc/simtc/targets/x86/emulate"
)

// flat returns f as one list of instructions for the emulator, before or after register
// allocation. Copies go through temporary registers, because they are
// parallel. log, if not nil, returns code to insert before an instruction.
func flat(f *machineFunc, log func(in *asm.Inst) []asm.Inst) []asm.Inst {
	next := f.next
	var out []asm.Inst
	for i, b := range f.blocks {
		out = append(out, asm.Bind(asm.Label(i)))
		for k := range b.insts {
			if log != nil {
				out = append(out, log(&b.insts[k])...)
			}
			out = append(out, b.insts[k])
		}
		var after []asm.Inst
		for _, c := range b.copies {
			t := asm.Virtual(c.dst.Class(), next[c.dst.Class()])
			next[c.dst.Class()]++
			out, after = append(out, wholeCopy(t, c.src)), append(after, wholeCopy(c.dst, t))
		}
		out = append(out, after...)
		switch t := &b.term; {
		case t.ret:
			out = append(out, asm.Make(asm.RET))
		case t.targets != nil:
			labels := make([]asm.Label, len(t.entries))
			for k, e := range t.entries {
				labels[k] = asm.Label(t.targets[e])
			}
			f.pool.SetTable(t.table, labels)
		case t.cond:
			out = append(out, asm.JumpIf(t.on, asm.Label(t.yes)), asm.Jump(asm.Label(t.no)))
		default:
			out = append(out, asm.Jump(asm.Label(t.yes)))
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
