package avx512

import (
	"slices"

	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/targets/avx512/asm"
	"github.com/simtc/simtc/vir"
)

// While a counter is above 0, C has it tested and decremented at once: n-- > 0.
// The subtraction of 1 leaves the flags of a comparison with 1.

// decrement returns the value of b that is less by 1 than the scalar which b's
// branch compares with 0 or 1, and the condition on which the branch is taken by
// the flags of the subtraction; nil if there is none that may come last in b.
func (s *selector) decrement(b *vir.Block) (*vir.Value, asm.Cond) {
	if b.Kind != vir.Branch || s.decided[b.ID] || s.decisions[b.ID] != nil {
		return nil, 0
	}
	test := b.Cond
	if alu.InfoOf(test.Op).Class != alu.Compare || test.Block != b || s.uses[test.ID] != 1 {
		return nil, 0
	}
	x, limit := test.Args[0], test.Args[1]
	on, ok := intConds[test.Op]
	if x.Op == vir.Const {
		x, limit, on = limit, x, mirrored[on]
	}
	if !ok || limit.Op != vir.Const || x.Op == vir.Const || !x.Type.IsScalar() || x.Type.Elem.Bits() < 32 {
		return nil, 0
	}
	if limit.Const == 0 {
		on, ok = aboveZero[on]
	}
	if !ok || limit.Const > 1 {
		return nil, 0
	}
	minusOne := x.Type.Elem.Mask()
	i := slices.IndexFunc(b.Values, func(v *vir.Value) bool {
		return v.Op == alu.Add && v.Args[0] == x && v.Args[1].Op == vir.Const && v.Args[1].Const == minusOne
	})
	if i < 0 || slices.ContainsFunc(b.Values, func(v *vir.Value) bool { return slices.Contains(v.Args, b.Values[i]) }) {
		return nil, 0
	}
	return b.Values[i], on
}

// mirrored are the conditions with their operands the other way round.
var mirrored = map[asm.Cond]asm.Cond{
	asm.CondE: asm.CondE, asm.CondNE: asm.CondNE, asm.CondL: asm.CondG, asm.CondLE: asm.CondGE,
	asm.CondB: asm.CondA, asm.CondBE: asm.CondAE,
}

// aboveZero are conditions of comparisons with 0 as those with 1 have them.
var aboveZero = map[asm.Cond]asm.Cond{
	asm.CondE: asm.CondB, asm.CondNE: asm.CondAE, asm.CondA: asm.CondAE, asm.CondBE: asm.CondB,
	asm.CondG: asm.CondGE, asm.CondLE: asm.CondL,
}

// subtractOne emits v, which is less by 1 than its operand, for the flags.
func (s *selector) subtractOne(v *vir.Value) {
	d := s.reg(v)
	s.move(d, s.reg(v.Args[0]))
	s.emit(asm.Make(asm.SUB, d, asm.InImm).WithImm(1).Bits(size(v.Type.Elem)))
	s.flush()
}
