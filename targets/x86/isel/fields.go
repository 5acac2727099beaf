package isel

import (
	"math/bits"

	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/vir"
)

// Bit fields: x >> c & m, where x has other uses, is a rotation into another register (RORX)
// and an AND. A shift overwrites its operand and would need a copy of x. The bits that a
// rotation moves from the bottom to the top are above the bits that m selects.

// findFields finds the shifts of which only bits of x are used, not those shifted in.
func (s *Selector) findFields() {
	unread := make([]int, s.F.NumValues()) // by value ID: uses of a shift that do not read the bits shifted in
	any := false
	for _, b := range s.F.Blocks {
		for _, v := range b.Values {
			for i, a := range v.Args {
				if s.mayRotate(a) && lowBits(v, i) <= a.Type.Elem.Bits()-int(a.Args[1].Const) {
					unread[a.ID]++
					any = true
				}
			}
		}
	}
	if !any {
		return
	}
	s.rotated = make([]bool, s.F.NumValues())
	for _, b := range s.F.Blocks {
		for _, v := range b.Values {
			s.rotated[v.ID] = unread[v.ID] > 0 && unread[v.ID] == s.uses[v.ID]
		}
	}
}

// mayRotate reports whether v is a scalar shift of a value that has other uses.
func (s *Selector) mayRotate(v *vir.Value) bool {
	return v.Op == alu.LShr && v.Type.IsScalar() && v.Type.Elem.Bits() >= 32 && v.Args[1].Op == vir.Const &&
		v.Args[1].Const > 0 && v.Args[1].Const < uint64(v.Type.Elem.Bits()) && v.Args[0].Op != vir.Const && s.uses[v.Args[0].ID] > 1
}

// lowBits returns n such that v depends only on the low n bits of operand i.
func lowBits(v *vir.Value, i int) int {
	switch {
	case v.Type.Lanes > 1:
	case v.Op == alu.And && v.Args[1-i].Op == vir.Const:
		return bits.Len64(v.Args[1-i].Const)
	case v.Op == alu.Trunc:
		return v.Type.Elem.Bits()
	case (v.Op == alu.Shl || v.Op == alu.LShr || v.Op == alu.AShr) && i == 1 && v.Type.Elem.Bits() >= 32:
		return 6
	}
	return 64
}
