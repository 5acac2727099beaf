package opt

import (
	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/vir"
)

// isConst reports whether v has these bits in every lane.
func isConst(v *vir.Value, bits uint64) bool {
	return v.Op == vir.Const && v.Const == bits&v.Type.Elem.Mask()
}

func isZero(v *vir.Value) bool { return isConst(v, 0) }

func isOnes(v *vir.Value) bool { return isConst(v, ^uint64(0)) }

func movable(v *vir.Value) bool {
	return vir.InfoOf(v.Op).Effect == vir.Pure || v.Op == vir.Load && v.Invariant && !v.Volatile
}

// negation returns x where v is not x.
func negation(v *vir.Value) *vir.Value {
	if v.Op == alu.Xor && isOnes(v.Args[1]) {
		return v.Args[0]
	}
	return nil
}

// complements reports whether one is the negation of the other.
func complements(x, y *vir.Value) bool {
	return negation(x) == y || negation(y) == x ||
		x.Op == vir.Const && y.Op == vir.Const && x.Const^y.Const == x.Type.Elem.Mask()
}

// other returns the second operand of v = op(x, other), in either order.
func other(v *vir.Value, op vir.Op, x *vir.Value) *vir.Value {
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

// maxStep bounds the steps of counters and what they may start from if only
// memory's size bounds them.
const maxStep = 1 << 20

func isSmall(c *vir.Value) bool {
	switch c.Op {
	case vir.Const:
		return c.Signed() >= -maxStep && c.Signed() <= maxStep
	case alu.And:
		return c.Args[1].Op == vir.Const && c.Args[1].Const <= maxStep
	case alu.ZExt, alu.SExt:
		return c.Args[0].Type.Bits() <= 16
	}
	return false
}

// isPackable reports whether v is the access op of scalar numbers that may become
// part of one of vectors.
func isPackable(v *vir.Value, op vir.Op) bool {
	return v.Op == op && !v.Volatile && v.Accessed().Elem != alu.I1 && v.Accessed().IsScalar()
}

// isLanewise reports whether op on vectors costs about what it does on scalars.
func isLanewise(op vir.Op) bool {
	switch op {
	case alu.UDiv, alu.SDiv, alu.URem, alu.SRem, alu.UMulHi, alu.SMulHi, alu.Clz, alu.Popcount:
		return false
	}
	return op.Pure()
}
