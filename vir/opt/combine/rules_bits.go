package combine

import (
	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/vir"
)

// bitsRules moves and joins bit masks, so that bytes taken from a word and put
// together again are the word.
func bitsRules() map[vir.Op][]rule {
	return map[vir.Op][]rule{
		alu.And:   {maskBits, partOfBits},
		alu.Or:    {joinBits},
		alu.Add:   {joinBits},
		alu.Shl:   {shiftBits},
		alu.LShr:  {partOfBits, shiftBack, shiftBits},
		alu.Trunc: {partOfBits},
		alu.SExt:  {signBits},
	}
}

// mayBeSet returns the bits of v that are not known to be zero.
func mayBeSet(v *vir.Value, depth int) uint64 {
	all := v.Type.Elem.Mask()
	if v.Op == vir.Const {
		return v.Const
	}
	if depth == 0 {
		return all
	}
	constant := len(v.Args) == 2 && v.Args[1].Op == vir.Const
	switch {
	case v.Op == alu.ZExt:
		return mayBeSet(v.Args[0], depth-1)
	case v.Op == vir.Splat:
		return mayBeSet(v.Args[0], depth-1)
	case v.Op == alu.And:
		return mayBeSet(v.Args[0], depth-1) & mayBeSet(v.Args[1], depth-1)
	case v.Op == alu.Or || v.Op == alu.Xor:
		return mayBeSet(v.Args[0], depth-1) | mayBeSet(v.Args[1], depth-1)
	case v.Op == alu.LShr && constant:
		return mayBeSet(v.Args[0], depth-1) >> (v.Args[1].Const & uint64(v.Type.Elem.Bits()-1))
	case v.Op == alu.AShr && constant:
		if x := mayBeSet(v.Args[0], depth-1); x <= all>>1 {
			return x >> (v.Args[1].Const & uint64(v.Type.Elem.Bits()-1))
		}
	case v.Op == alu.Shl && constant:
		return mayBeSet(v.Args[0], depth-1) << (v.Args[1].Const & uint64(v.Type.Elem.Bits()-1)) & all
	}
	return all
}

// maskBits drops a mask that keeps all there is.
func maskBits(s *rewriter, v *vir.Value) *vir.Value {
	x, c := v.Args[0], v.Args[1]
	if c.Op != vir.Const || v.Type.Elem == alu.I1 {
		return nil
	}
	switch set := mayBeSet(x, 4); {
	case set&^c.Const == 0:
		return x
	case set&c.Const == 0:
		return s.constant(v.Type, 0)
	case set&c.Const != c.Const: // a smaller constant says the same
		return s.make(alu.And, v.Type, x, s.constant(v.Type, set&c.Const))
	}
	return nil
}

// masked takes v apart into x & bits.
func masked(v *vir.Value) (x *vir.Value, bits uint64) {
	if v.Op == alu.And && v.Args[1].Op == vir.Const {
		return v.Args[0], v.Args[1].Const
	}
	return v, v.Type.Elem.Mask()
}

// joinBits is (x&a) | (x&b) = x & (a|b), for + too where a and b are disjoint.
func joinBits(s *rewriter, v *vir.Value) *vir.Value {
	x, a := masked(v.Args[0])
	y, b := masked(v.Args[1])
	if x != y || x == v.Args[0] || y == v.Args[1] || v.Op == alu.Add && a&b != 0 {
		return nil
	}
	return s.make(alu.And, v.Type, x, s.constant(v.Type, a|b))
}

// partOfBits takes from a number that was put together no more than what is asked for,
// as the fields of an instruction are:
//
//	(a<<8 | b) & 15         b & 15             where b < 256
//	(a<<8 | b) >> 12        (a<<8) >> 12
//	(a<<8 | b) >> 4 & 15    b >> 4 & 15
func partOfBits(s *rewriter, v *vir.Value) *vir.Value {
	x, asked := v.Args[0], v.Type.Elem.Mask()
	switch v.Op {
	case alu.And:
		if v.Args[1].Op != vir.Const {
			return nil
		}
		asked = v.Args[1].Const
		if k, ok := shiftedDown(x); ok {
			if y := part(x.Args[0], asked<<k); y != nil {
				return s.make(alu.And, v.Type, s.make(alu.LShr, v.Type, y, x.Args[1]), v.Args[1])
			}
		}
	case alu.LShr:
		k, ok := shiftedDown(v)
		if !ok {
			return nil
		}
		asked <<= k
	}
	if y := part(x, asked); y != nil {
		return s.make(v.Op, v.Type, append([]*vir.Value{y}, v.Args[1:]...)...)
	}
	return nil
}

// shiftedDown returns by how many bits v is shifted.
func shiftedDown(v *vir.Value) (k uint64, ok bool) {
	if v.Op != alu.LShr || v.Args[1].Op != vir.Const || v.Args[1].Const >= uint64(v.Type.Elem.Bits()) {
		return 0, false
	}
	return v.Args[1].Const, true
}

// part returns the one of two numbers put together that has all of the bits asked for;
// nil if none has or v is no such number.
func part(v *vir.Value, asked uint64) *vir.Value {
	if v.Op != alu.Or && v.Op != alu.Xor && v.Op != alu.Add || v.Type.Elem == alu.I1 {
		return nil
	}
	asked &= v.Type.Elem.Mask()
	a, b := mayBeSet(v.Args[0], 4), mayBeSet(v.Args[1], 4)
	switch {
	case v.Op == alu.Add && a&b != 0: // bits may be carried
		return nil
	case a&asked == 0:
		return v.Args[1]
	case b&asked == 0:
		return v.Args[0]
	}
	return nil
}

// shiftBack is one shift for one up and one down, where the first loses nothing.
func shiftBack(s *rewriter, v *vir.Value) *vir.Value {
	x := v.Args[0]
	down, ok := shiftedDown(v)
	if !ok || x.Op != alu.Shl || x.Args[1].Op != vir.Const || x.Args[1].Const >= uint64(v.Type.Elem.Bits()) {
		return nil
	}
	y, up := x.Args[0], x.Args[1].Const
	switch {
	case mayBeSet(y, 4)&^(v.Type.Elem.Mask()>>up) != 0:
		return nil
	case up > down:
		return s.make(alu.Shl, v.Type, y, s.constant(v.Type, up-down))
	case up < down:
		return s.make(alu.LShr, v.Type, y, s.constant(v.Type, down-up))
	}
	return y
}

// shiftBits brings masks outside of shifts and shifts back and forth together.
func shiftBits(s *rewriter, v *vir.Value) *vir.Value {
	x, n := v.Args[0], v.Args[1]
	w := uint64(v.Type.Elem.Bits())
	if v.Type.Lanes == 1 { // a shift at the end of an address is free
		return nil
	}
	if n.Op != vir.Const || n.Const == 0 || n.Const >= w || len(x.Args) != 2 || x.Args[1].Op != vir.Const {
		return nil
	}
	shift := func(op vir.Op, bits uint64) uint64 {
		return alu.Eval(op, v.Type.Elem, v.Type.Elem, bits, n.Const, 0)
	}
	inner := x.Args[1]
	switch {
	case x.Op == alu.And:
		y := s.make(v.Op, v.Type, x.Args[0], n)
		return s.make(alu.And, v.Type, y, s.constant(v.Type, shift(v.Op, inner.Const)))
	case (x.Op == alu.LShr || x.Op == alu.Shl) && x.Op != v.Op && inner.Const < w:
		// The bits that survive both, then one shift by the difference.
		left := alu.Eval(x.Op, v.Type.Elem, v.Type.Elem, v.Type.Elem.Mask(), inner.Const, 0)
		left = shift(v.Op, left)
		y := x.Args[0]
		switch a, b := inner.Const, n.Const; {
		case b > a:
			y = s.make(v.Op, v.Type, y, s.constant(v.Type, b-a))
		case a > b:
			y = s.make(x.Op, v.Type, y, s.constant(v.Type, a-b))
		}
		return s.make(alu.And, v.Type, y, s.constant(v.Type, left))
	}
	return nil
}

// signBits extends the low bits of a number in place.
func signBits(s *rewriter, v *vir.Value) *vir.Value {
	x := v.Args[0]
	if x.Op != alu.Trunc || x.Args[0].Type != v.Type || x.Type.Elem == alu.I1 || v.Type.Elem.Bits() < 16 {
		return nil
	}
	n := s.constant(v.Type, uint64(v.Type.Elem.Bits()-x.Type.Elem.Bits()))
	return s.make(alu.AShr, v.Type, s.make(alu.Shl, v.Type, x.Args[0], n), n)
}
