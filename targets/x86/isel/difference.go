package isel

import (
	"slices"

	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/targets/x86/asm"
	"github.com/simtc/simtc/vir"
)

// difference is a subtraction at the end of a block whose flags serve as the comparison of
// the block's branch:
//
//	while (n-- > 0) …     sub n, 1; jae …
type difference struct {
	value *vir.Value // x - y, or x - c
	c     int64
	cond  asm.Cond
}

// findDifference searches b for a subtraction that only later blocks use, and whose flags
// serve as the comparison of b's branch.
func (s *Selector) findDifference(b *vir.Block) *difference {
	c := b.Cond
	cond, ok := intConds[c.Op]
	if !ok || c.Block != b || s.uses[c.ID] != 1 || c.Args[0].Type.Elem.Bits() < 32 {
		return nil
	}
	for i := len(b.Values) - 1; i >= 0; i-- {
		v := b.Values[i]
		if s.regs[v.ID] == asm.NoReg || v.Op != alu.Sub && v.Op != alu.Add || !slices.Contains(c.Args, v.Args[0]) || s.readIn(b, v) {
			continue
		}
		d := &difference{value: v, cond: cond}
		other := c.Args[1]
		if v.Args[0] == other {
			other = c.Args[0]
			d.cond = swappedConds[cond]
		}
		by, isConst := immediate(v.Args[1])
		switch {
		case other == v.Args[1] && v.Op == alu.Sub && other.Op != vir.Const:
			return d
		case !isConst || other.Op != vir.Const:
			continue
		case v.Op == alu.Add:
			by = -by
		}
		d.c = by
		if by == int64(int32(by)) && d.comparesWith(signedBits(other.Type.Elem, other.Const), other.Type.Elem) {
			return d
		}
	}
	return nil
}

// readIn reports whether an operation of b or its branch uses v.
func (s *Selector) readIn(b *vir.Block, v *vir.Value) bool {
	if b.Cond == v {
		return true
	}
	for _, u := range b.Values {
		if slices.Contains(u.Args, v) {
			return true
		}
	}
	return false
}

// comparesWith changes the condition, which applies to x and k, to the equivalent one for x
// and c, if there is one.
func (d *difference) comparesWith(k int64, t alu.Type) bool {
	if k == 0 { // no unsigned value is below
		switch d.cond {
		case asm.CondNE:
			d.cond = asm.CondA
		case asm.CondE:
			d.cond = asm.CondBE
		}
	}
	// last is the greatest value by signedness, whose successor wraps.
	last := map[bool]int64{true: signedBits(t, 1<<(t.Bits()-1)-1), false: -1}
	next := map[asm.Cond]asm.Cond{asm.CondA: asm.CondAE, asm.CondBE: asm.CondB, asm.CondG: asm.CondGE, asm.CondLE: asm.CondL}
	previous := map[asm.Cond]asm.Cond{asm.CondAE: asm.CondA, asm.CondB: asm.CondBE, asm.CondGE: asm.CondG, asm.CondL: asm.CondLE}
	if d.c == k {
		return true
	}
	conds, lesser := next, k
	if d.c == k-1 {
		conds, lesser = previous, d.c
	} else if d.c != k+1 {
		return false
	}
	to, ok := conds[d.cond]
	signed := slices.Contains([]asm.Cond{asm.CondG, asm.CondGE, asm.CondL, asm.CondLE}, d.cond)
	if !ok || lesser == last[signed] {
		return false
	}
	d.cond = to
	return true
}

// emitDifference emits the subtraction and returns the condition.
func (s *Selector) emitDifference(d *difference) asm.Cond {
	r := s.Reg(d.value)
	s.at(d.value.Pos)
	sub := asm.Make(asm.SUB, r, asm.InImm).WithImm(d.c)
	if y := d.value.Args[1]; y.Op != vir.Const {
		sub = asm.Make(asm.SUB, r, s.Reg(y))
	}
	s.Move(r, s.Reg(d.value.Args[0]))
	s.Emit(sub.Bits(size(d.value.Type.Elem)))
	return d.cond
}
