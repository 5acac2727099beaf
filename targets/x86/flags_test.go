package x86

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/simtc/simtc/targets/mach"
	"github.com/simtc/simtc/targets/x86/asm"
)

// Comparisons whose flags are already set are removed, others are not.
func TestDropTests(t *testing.T) {
	const ax, cx, dx = asm.RAX, asm.RCX, asm.RDX
	op := func(op asm.Op, args ...asm.Reg) asm.Inst { return asm.Make(op, args...).Bits(asm.Size32) }
	imm := func(o asm.Op, r asm.Reg, n int64) asm.Inst { return op(o, r, asm.InImm).WithImm(n) }
	set := func(c asm.Cond) asm.Inst { return asm.Make(asm.SETCC, asm.RBX).If(c) }
	move := func(d, s asm.Reg) asm.Inst { return asm.Make(asm.MOV, d, s).Bits(asm.Size64) }
	mem := op(asm.CMP, ax, asm.InMem).WithMem(asm.At(dx, 8))
	test := op(asm.TEST, ax, ax)
	for name, c := range map[string]struct {
		insts   []asm.Inst
		end     asm.Cond
		dropped int
	}{
		"same":                 {[]asm.Inst{op(asm.CMP, ax, cx), set(asm.CondL), op(asm.CMP, ax, cx)}, asm.CondG, 1},
		"same, three times":    {[]asm.Inst{op(asm.CMP, ax, cx), set(asm.CondL), op(asm.CMP, ax, cx), set(asm.CondB), op(asm.CMP, ax, cx)}, asm.CondG, 2},
		"other immediate":      {[]asm.Inst{imm(asm.CMP, ax, 1), set(asm.CondL), imm(asm.CMP, ax, 2)}, asm.CondG, 0},
		"same immediate":       {[]asm.Inst{imm(asm.CMP, ax, 1), set(asm.CondL), imm(asm.CMP, ax, 1)}, asm.CondG, 1},
		"other size":           {[]asm.Inst{op(asm.CMP, ax, cx), op(asm.CMP, ax, cx).Bits(asm.Size64)}, asm.CondG, 0},
		"operand changed":      {[]asm.Inst{op(asm.CMP, ax, cx), move(cx, dx), op(asm.CMP, ax, cx)}, asm.CondG, 0},
		"other changed":        {[]asm.Inst{op(asm.CMP, ax, cx), move(dx, cx), op(asm.CMP, ax, cx)}, asm.CondG, 1},
		"other flags":          {[]asm.Inst{op(asm.CMP, ax, cx), op(asm.ADD, dx, cx), op(asm.CMP, ax, cx)}, asm.CondG, 0},
		"memory":               {[]asm.Inst{mem, mem}, asm.CondG, 0},
		"logic":                {[]asm.Inst{op(asm.AND, ax, cx), move(dx, ax), test}, asm.CondL, 1},
		"logic, changed":       {[]asm.Inst{op(asm.AND, ax, cx), move(ax, dx), test}, asm.CondE, 0},
		"logic, other":         {[]asm.Inst{op(asm.AND, dx, ax), test}, asm.CondE, 0},
		"sum, zero":            {[]asm.Inst{op(asm.SUB, ax, cx), test, set(asm.CondNE)}, asm.CondE, 1},
		"sum, sign":            {[]asm.Inst{op(asm.SUB, ax, cx), test}, asm.CondL, 0},
		"sum, sign between":    {[]asm.Inst{op(asm.SUB, ax, cx), test, set(asm.CondL)}, asm.CondE, 0},
		"sum, flags set later": {[]asm.Inst{op(asm.SUB, ax, cx), test, set(asm.CondE), op(asm.CMP, dx, cx)}, asm.CondL, 1},
		"shift":                {[]asm.Inst{imm(asm.SHR, ax, 3), test}, asm.CondE, 1},
		"shift by zero":        {[]asm.Inst{imm(asm.SHR, ax, 32), test}, asm.CondE, 0},
		"product":              {[]asm.Inst{op(asm.IMUL, ax, cx), test}, asm.CondE, 0},
	} {
		b := &Block{Insts: c.insts, Term: Terminator{Cond: true, On: mach.Cond(c.end), Yes: 1, No: 2}}
		n := len(c.insts)
		require.Equal(t, c.dropped, dropTests(b), name)
		require.Len(t, b.Insts, n-c.dropped, name)
	}
}
