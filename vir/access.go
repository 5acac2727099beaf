package vir

import "github.com/simtc/simtc/alu"

// Accessed is the type of what a memory operation loads or stores.
func (v *Value) Accessed() Type {
	switch v.Op {
	case Store, VStore:
		return v.Args[1].Type
	case Scatter:
		return v.Args[2].Type
	}
	return v.Type
}

// Signed returns the number that a constant is, or every lane of it, read as
// two's complement.
func (v *Value) Signed() int64 { return v.Type.Elem.Signed(v.Const) }

// Steps returns s where lane i of v holds start + i*s, start a constant, and
// no lane's number wraps.
func (v *Value) Steps() (s int64, ok bool) {
	if v.Op == alu.Sub && v.Args[0].Op == Const && v.Args[0].Const == 0 {
		s, ok = v.Args[1].Steps()
		return -s, ok
	}
	s = 1
	if (v.Op == alu.Mul || v.Op == alu.Shl) && v.Args[1].Op == Const {
		c := v.Args[1]
		s = c.Signed()
		if v.Op == alu.Shl {
			if s < 0 || s > 24 {
				return 0, false
			}
			s = 1 << s
		}
		v = v.Args[0]
	}
	if v.Op != Iota || v.Type.Elem.Bits() < 32 || v.Index < 0 || v.Index > 1<<16 {
		return 0, false
	}
	return s, s < 1<<14 && s > -1<<14
}

// FirstStep returns the number of the first step of what Steps accepts: that of lane 0.
func (v *Value) FirstStep() int64 {
	for v.Op != Iota {
		if v.Op == alu.Sub {
			v = v.Args[1]
		} else {
			v = v.Args[0]
		}
	}
	return int64(v.Index)
}

// IterationsLeft returns how many lanes the vectors have by which b, in code of one lane,
// makes the rounds of a loop that are left over from whole vectors; 0 if it is no
// such block. They are under a mask made of bits, which no other code of one lane has.
func (b *Block) IterationsLeft() int {
	for _, v := range b.Values {
		if v.Op == Unbits {
			return v.Type.Lanes
		}
	}
	return 0
}

// MostApart is how many bytes elements of some size may be apart that are accessed
// as whole vectors, out of which lanes are then taken: to take them out of n
// registers takes n-1 shuffles. Of records that are accessed whole it is CacheLine.
func MostApart(size int) int64 { return int64(min(8*size, 32)) }

// CacheLine is how many bytes memory delivers at once.
const CacheLine = 64
