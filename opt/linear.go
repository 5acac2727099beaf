package opt

import (
	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/kernel"
)

// maxLinear limits the constants of a linear form and the sizes of the objects
// in which linear forms are compared, in bytes. It is so small that the distance of
// two accesses modulo 2^32 determines the distance.
const maxLinear = 1 << 28

// linear is root*scale + at, in bytes; root is nil for a constant. A root of 32
// bits stands for any number that is congruent to it modulo 2^32: only one of them lies
// within an object. So the distance of x+1 and x is 1 whether they are sign-extended or
// zero-extended: where either wraps, one access is outside its object. A root of 8 or 16 bits
// stands for its zero extension. The address of an access within an object is computed
// from the extended root (see extension).
type linear struct {
	root  *kernel.Value
	scale int
	at    int
}

// linearDepth limits the depth of the expressions that are decomposed.
const linearDepth = 8

// extension returns the operation that extends a root of type t to 64 bits.
func extension(t kernel.Type) kernel.Op {
	if t.Bits() < 32 {
		return alu.ZExt
	}
	return alu.SExt
}

func small(c int64) bool { return c > -maxLinear && c < maxLinear }

// linearOf decomposes the offset v to the given depth.
func linearOf(v *kernel.Value, depth int) linear {
	whole := linear{v, 1, 0}
	narrow := v.Type.Bits() < 32
	if v.Op == kernel.Const {
		c := v.Type.Signed(v.Const)
		if narrow {
			c = int64(v.Const)
		}
		if small(c) {
			return linear{nil, 1, int(c)}
		}
		return whole
	}
	if depth == 0 || narrow {
		return whole
	}
	switch v.Op {
	case alu.SExt, alu.ZExt:
		if x := v.Args[0]; x.Type == alu.I32 || v.Op == alu.ZExt && x.Type != alu.I1 {
			return linearOf(x, depth-1)
		}
	case alu.Add, alu.Sub:
		if c := v.Args[1]; c.Op == kernel.Const && small(c.Type.Signed(c.Const)) {
			l, d := linearOf(v.Args[0], depth-1), int(c.Type.Signed(c.Const))
			if v.Op == alu.Sub {
				d = -d
			}
			if l.at += d; small(int64(l.at)) {
				return l
			}
		}
	case alu.Mul, alu.Shl:
		c := v.Args[1]
		if c.Op != kernel.Const || v.Type.Bits() != 64 { // a product of 32 bits does not determine the root
			break
		}
		by := c.Type.Signed(c.Const)
		if v.Op == alu.Shl {
			if by < 0 || by > 16 {
				break
			}
			by = 1 << by
		}
		l := linearOf(v.Args[0], depth-1)
		if by > 0 && by <= 1<<16 && l.scale <= 1<<16 && small(int64(l.at)*by) {
			return linear{l.root, l.scale * int(by), l.at * int(by)}
		}
	}
	return whole
}

// Subscript locates an access: Root*Scale + At bytes after Object, an Alloca, or At
// bytes if Root is nil. A Root of 32 bits stands for its sign extension, provided that
// the access is in its object.
type Subscript struct {
	Object, Root *kernel.Value
	Scale, At    int
}

// SubscriptOf decomposes the address p if it is in an Alloca and depends on at most one
// variable.
func SubscriptOf(p *kernel.Value) (s Subscript, ok bool) {
	s.Scale = 1
	for ; p.Op == kernel.PtrAdd; p = p.Args[0] {
		l := linearOf(p.Args[1], linearDepth)
		if s.At += l.at; l.root == nil {
			continue
		}
		if s.Root != nil || !small(int64(s.At)) {
			return s, false
		}
		s.Root, s.Scale = l.root, l.scale
	}
	s.Object = p
	return s, p.Op == kernel.Alloca && p.Size <= maxLinear && small(int64(s.At))
}
