package analysis

import (
	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/vir"
)

// IsConst reports whether v has these bits in every lane.
func IsConst(v *vir.Value, bits uint64) bool {
	return v.Op == vir.Const && v.Const == bits&v.Type.Elem.Mask()
}

func IsZero(v *vir.Value) bool { return IsConst(v, 0) }

func IsOnes(v *vir.Value) bool { return IsConst(v, ^uint64(0)) }

func Movable(v *vir.Value) bool {
	return vir.InfoOf(v.Op).Effect == vir.Pure || v.Op == vir.Load && v.Invariant && !v.Volatile
}

// Negation returns x where v is not x.
func Negation(v *vir.Value) *vir.Value {
	if v.Op == alu.Xor && IsOnes(v.Args[1]) {
		return v.Args[0]
	}
	return nil
}

// Complements reports whether one is the negation of the other.
func Complements(x, y *vir.Value) bool {
	return Negation(x) == y || Negation(y) == x ||
		x.Op == vir.Const && y.Op == vir.Const && x.Const^y.Const == x.Type.Elem.Mask()
}

// Other returns the second operand of v = op(x, other), in either order.
func Other(v *vir.Value, op vir.Op, x *vir.Value) *vir.Value {
	switch {
	case v.Op != op:
		return nil
	case v.Args[0] == x:
		return v.Args[1]
	case v.Args[1] == x:
		return v.Args[0]
	}
	return nil
}

// MaxStep bounds the steps of counters and what they may start from if only
// memory's size bounds them.
const MaxStep = 1 << 20

func IsSmall(c *vir.Value) bool {
	switch c.Op {
	case vir.Const:
		return c.Signed() >= -MaxStep && c.Signed() <= MaxStep
	case alu.And:
		return c.Args[1].Op == vir.Const && c.Args[1].Const <= MaxStep
	case alu.ZExt, alu.SExt:
		return c.Args[0].Type.Bits() <= 16
	}
	return false
}

// IsPackable reports whether v is the access op of scalar numbers that may become
// part of one of vectors.
func IsPackable(v *vir.Value, op vir.Op) bool {
	return v.Op == op && !v.Volatile && v.Accessed().Elem != alu.I1 && v.Accessed().IsScalar()
}

// IsLanewise reports whether op on vectors costs about what it does on scalars.
func IsLanewise(op vir.Op) bool {
	switch op {
	case alu.UDiv, alu.SDiv, alu.URem, alu.SRem, alu.UMulHi, alu.SMulHi, alu.Clz, alu.Popcount:
		return false
	}
	return op.Pure()
}
