package combine

import (
	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/vir"
)

// bitsRules moves and merges bit masks: bytes extracted from a word and reassembled become
// the word.
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

// mayBeSet returns the bits of v that may be one.
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

// maskBits removes a mask that clears nothing.
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
	case set&c.Const != c.Const: // a smaller constant suffices
		return s.make(alu.And, v.Type, x, s.constant(v.Type, set&c.Const))
	}
	return nil
}

// masked returns v as x & bits.
func masked(v *vir.Value) (x *vir.Value, bits uint64) {
	if v.Op == alu.And && v.Args[1].Op == vir.Const {
		return v.Args[0], v.Args[1].Const
	}
	return v, v.Type.Elem.Mask()
}

// joinBits rewrites (x&a) | (x&b) to x & (a|b), also for + if a and b are disjoint.
func joinBits(s *rewriter, v *vir.Value) *vir.Value {
	x, a := masked(v.Args[0])
	y, b := masked(v.Args[1])
	if x != y || x == v.Args[0] || y == v.Args[1] || v.Op == alu.Add && a&b != 0 {
		return nil
	}
	return s.make(alu.And, v.Type, x, s.constant(v.Type, a|b))
}

// partOfBits drops the operand of a combined value that contributes no demanded bit, as in
// the decoding of instruction fields:
//
//	(a<<8 | b) & 15         b & 15             where b < 256
//	(a<<8 | b) >> 12        (a<<8) >> 12
//	(a<<8 | b) >> 4 & 15    b >> 4 & 15
func partOfBits(s *rewriter, v *vir.Value) *vir.Value {
	x, demanded := v.Args[0], v.Type.Elem.Mask()
	switch v.Op {
	case alu.And:
		if v.Args[1].Op != vir.Const {
			return nil
		}
		demanded = v.Args[1].Const
		if k, ok := shiftedDown(x); ok {
			if y := part(x.Args[0], demanded<<k); y != nil {
				return s.make(alu.And, v.Type, s.make(alu.LShr, v.Type, y, x.Args[1]), v.Args[1])
			}
		}
	case alu.LShr:
		k, ok := shiftedDown(v)
		if !ok {
			return nil
		}
		demanded <<= k
	}
	if y := part(x, demanded); y != nil {
		return s.make(v.Op, v.Type, append([]*vir.Value{y}, v.Args[1:]...)...)
	}
	return nil
}

// shiftedDown returns k if v is a logical right shift by the constant k.
func shiftedDown(v *vir.Value) (k uint64, ok bool) {
	if v.Op != alu.LShr || v.Args[1].Op != vir.Const || v.Args[1].Const >= uint64(v.Type.Elem.Bits()) {
		return 0, false
	}
	return v.Args[1].Const, true
}

// part returns the operand of v, a combination of two values, that has all demanded bits. It
// returns nil if both contribute or v is no such combination.
func part(v *vir.Value, demanded uint64) *vir.Value {
	if v.Op != alu.Or && v.Op != alu.Xor && v.Op != alu.Add || v.Type.Elem == alu.I1 {
		return nil
	}
	demanded &= v.Type.Elem.Mask()
	a, b := mayBeSet(v.Args[0], 4), mayBeSet(v.Args[1], 4)
	switch {
	case v.Op == alu.Add && a&b != 0: // there may be carries
		return nil
	case a&demanded == 0:
		return v.Args[1]
	case b&demanded == 0:
		return v.Args[0]
	}
	return nil
}

// shiftBack merges a left shift and a right shift if the first loses no bits.
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

// shiftBits moves masks out of shifts and merges opposite shifts of vectors.
func shiftBits(s *rewriter, v *vir.Value) *vir.Value {
	x, n := v.Args[0], v.Args[1]
	w := uint64(v.Type.Elem.Bits())
	if v.Type.Lanes == 1 { // a shift that ends an address computation is free
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
		// The bits that survive both shifts, then one shift by the difference.
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

// signBits rewrites the sign extension of a truncation to two shifts.
func signBits(s *rewriter, v *vir.Value) *vir.Value {
	x := v.Args[0]
	if x.Op != alu.Trunc || x.Args[0].Type != v.Type || x.Type.Elem == alu.I1 || v.Type.Elem.Bits() < 16 {
		return nil
	}
	n := s.constant(v.Type, uint64(v.Type.Elem.Bits()-x.Type.Elem.Bits()))
	return s.make(alu.AShr, v.Type, s.make(alu.Shl, v.Type, x.Args[0], n), n)
}
