package isel

import (
	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/targets/x86/asm"
	"github.com/simtc/simtc/vir"
)

// lowestBit matches the number of trailing zeros of x, which TZCNT computes:
//
//	popcount(~x & (x - 1))    popcount((x & -x) - 1)    31 - clz(x & -x)
//
// The last of these differs for x = 0, so x must be known to be nonzero.
func (s *Selector) lowestBit(v *vir.Value) (x *vir.Value, ok bool) {
	t := v.Type.Elem
	if v.Type.Lanes != 1 || t != alu.I32 && t != alu.I64 {
		return nil, false
	}
	switch v.Op {
	case alu.Sub:
		if v.Args[0].Op != vir.Const || v.Args[0].Const != uint64(t.Bits()-1) || v.Args[1].Op != alu.Clz {
			return nil, false
		}
		x, ok = lowestAlone(v.Args[1].Args[0])
		return x, ok && s.block != nil && s.nonZero(x, knownDepth)
	case alu.Popcount:
		below := v.Args[0]
		if x, ok := lessOne(below); ok {
			return lowestAlone(x)
		}
		for i, not := range below.Args {
			if x, ok := lessOne(below.Args[len(below.Args)-1-i]); below.Op == alu.And && ok && not.Op == alu.Xor && not.Args[0] == x && allOnes(not.Args[1]) {
				return x, true
			}
		}
	}
	return nil, false
}

// lowestAlone matches x & -x, which isolates the lowest set bit.
func lowestAlone(v *vir.Value) (x *vir.Value, ok bool) {
	if v.Op != alu.And {
		return nil, false
	}
	for i, n := range v.Args {
		x := v.Args[1-i]
		if n.Op == alu.Sub && n.Args[0].Op == vir.Const && n.Args[0].Const == 0 && n.Args[1] == x && x.Op != vir.Const {
			return x, true
		}
	}
	return nil, false
}

// lessOne matches x - 1.
func lessOne(v *vir.Value) (x *vir.Value, ok bool) {
	if v.Op != alu.Add || !allOnes(v.Args[1]) {
		return nil, false
	}
	return v.Args[0], v.Args[0].Op != vir.Const
}

// allOnes reports whether v is the constant with all bits set.
func allOnes(v *vir.Value) bool { return v.Op == vir.Const && v.Const == v.Type.Elem.Mask() }

// findLowest emits v as TZCNT if lowestBit matches it.
func (s *Selector) findLowest(v *vir.Value) bool {
	x, ok := s.lowestBit(v)
	if ok {
		s.Emit(asm.Make(asm.TZCNT, s.Reg(v), s.Reg(x)).Bits(size(v.Type.Elem)))
	}
	return ok
}
