package avx512

import (
	"math/bits"

	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/vir"
)

// Fields of a word: x >> c & m, of an x that is needed afterwards too, is a
// rotation into another register and an AND. A shift would have to copy x
// first, for it overwrites its operand. What a rotation brings in from below is
// above the bits that are looked at.

// findFields finds the shifts of which only bits are used that were bits of x.
func (s *selector) findFields() {
	unread := make([]int, s.f.NumValues()) // by value ID: uses of a shift that look at such bits only
	any := false
	for _, b := range s.f.Blocks {
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
	s.rotated = make([]bool, s.f.NumValues())
	for _, b := range s.f.Blocks {
		for _, v := range b.Values {
			s.rotated[v.ID] = unread[v.ID] > 0 && unread[v.ID] == s.uses[v.ID]
		}
	}
}

// mayRotate reports whether v is a scalar shift of something used elsewhere too.
func (s *selector) mayRotate(v *vir.Value) bool {
	return v.Op == alu.LShr && v.Type.IsScalar() && v.Type.Elem.Bits() >= 32 && v.Args[1].Op == vir.Const &&
		v.Args[1].Const > 0 && v.Args[1].Const < uint64(v.Type.Elem.Bits()) && v.Args[0].Op != vir.Const && s.uses[v.Args[0].ID] > 1
}

// lowBits returns how many of the low bits of operand i decide what v is.
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
