package x86

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/simtc/simtc/targets/mach"
	"github.com/simtc/simtc/targets/x86/asm"
)

// LEA of a sum into one of its operands becomes ADD unless the flags are live, and
// rbp and r13 are not bases if that needs a displacement.
func TestPeephole(t *testing.T) {
	lea := func(d, base, index asm.Reg, disp int32) asm.Inst {
		return asm.Make(asm.LEA, d, asm.InMem).WithMem(asm.Indexed(base, index, 1, disp)).Bits(asm.Size32)
	}
	add := func(d, x asm.Reg) asm.Inst { return asm.Make(asm.ADD, d, x).Bits(asm.Size32) }
	test := asm.Make(asm.TEST, asm.RAX, asm.RAX).Bits(asm.Size32)
	scaled := asm.Make(asm.LEA, asm.RAX, asm.InMem).WithMem(asm.Indexed(asm.R13, asm.RCX, 4, 0)).Bits(asm.Size64)
	f := &Func{Func: mach.Func[asm.Inst]{Blocks: []*Block{
		{
			Insts: []asm.Inst{
				lea(asm.RAX, asm.RAX, asm.RCX, 0), lea(asm.RAX, asm.RCX, asm.RAX, 0), lea(asm.RAX, asm.RAX, asm.RCX, 8),
				lea(asm.RAX, asm.R13, asm.RCX, 0), lea(asm.RAX, asm.R13, asm.RCX, 8), lea(asm.RAX, asm.R13, asm.RBP, 0), scaled,
				test, lea(asm.RAX, asm.RAX, asm.RCX, 0),
			},
			Term: Terminator{Cond: true, On: mach.Cond(asm.CondE), Yes: 1, No: 1},
		},
		{Insts: []asm.Inst{test, lea(asm.RAX, asm.RAX, asm.R13, 0)}, Term: Terminator{Ret: true}},
	}}}
	peephole(f)
	require.Equal(t, []asm.Inst{
		add(asm.RAX, asm.RCX), add(asm.RAX, asm.RCX), lea(asm.RAX, asm.RAX, asm.RCX, 8),
		lea(asm.RAX, asm.RCX, asm.R13, 0), lea(asm.RAX, asm.R13, asm.RCX, 8), lea(asm.RAX, asm.R13, asm.RBP, 0), scaled,
		test, lea(asm.RAX, asm.RAX, asm.RCX, 0),
	}, f.Blocks[0].Insts)
	require.Equal(t, []asm.Inst{test, add(asm.RAX, asm.R13)}, f.Blocks[1].Insts)
}

// Copies have the length of the longest vectors, since they may hold one.
func TestNarrowCopies(t *testing.T) {
	for longest, want := range map[asm.VL]asm.VL{0: asm.V128, asm.V256: asm.V256, asm.V512: asm.V512} {
		other := asm.Make(asm.VADDPS, asm.Vec(2), asm.Vec(1), asm.Vec(0)).Len(longest)
		if longest == 0 {
			other = asm.Make(asm.VADDSS, asm.Vec(2), asm.Vec(1), asm.Vec(0))
		}
		f := &Func{Func: mach.Func[asm.Inst]{Blocks: []*Block{
			{Insts: []asm.Inst{Move(asm.Vec(0), asm.Vec(1)), Move(asm.RAX, asm.RCX)}, Term: Terminator{Yes: 1}},
			{Insts: []asm.Inst{other}, Term: Terminator{Ret: true}},
		}}}
		narrowCopies(f)
		require.Equal(t, []asm.Inst{Move(asm.Vec(0), asm.Vec(1)).Len(want), Move(asm.RAX, asm.RCX)}, f.Blocks[0].Insts)
	}
}
