package vir

import "github.com/simtc/simtc/alu"

// Accessed returns the type of the value that a memory operation loads or stores.
func (v *Value) Accessed() Type {
	switch v.Op {
	case Store, VStore:
		return v.Args[1].Type
	case Scatter:
		return v.Args[2].Type
	}
	return v.Type
}

// Signed returns the value of a constant, or of each lane of it, as a two's-complement
// number.
func (v *Value) Signed() int64 { return v.Type.Elem.Signed(v.Const) }

// Steps returns s if lane i of v holds start + i*s for a constant start and no lane's
// value wraps.
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

// FirstStep returns the number of lane 0 in the Iota of a vector accepted by Steps.
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

// IterationsLeft returns the number of lanes of the vectors with which b, in one-lane code,
// executes the iterations that remain after whole vectors; 0 if b is no such block. Their
// mask is made from bits, which no other one-lane code uses.
func (b *Block) IterationsLeft() int {
	for _, v := range b.Values {
		if v.Op == Unbits {
			return v.Type.Lanes
		}
	}
	return 0
}

// MaxShuffleSpan is the maximum span in bytes of elements of the given size that are accessed
// as whole vectors from which lanes are then shuffled: selecting from n registers takes
// n-1 shuffles. For records that are accessed whole the maximum is CacheLine.
func MaxShuffleSpan(size int) int64 { return int64(min(8*size, 32)) }

// CacheLine is the size of a cache line in bytes.
const CacheLine = 64
