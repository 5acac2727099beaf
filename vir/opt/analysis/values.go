package analysis

import (
	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/vir"
)

// IsConst reports whether v is a constant with these bits in every lane.
func IsConst(v *vir.Value, bits uint64) bool {
	return v.Op == vir.Const && v.Const == bits&v.Type.Elem.Mask()
}

// IsZero reports whether v is the constant 0.
func IsZero(v *vir.Value) bool { return IsConst(v, 0) }

// IsOnes reports whether v is the constant with all bits set.
func IsOnes(v *vir.Value) bool { return IsConst(v, ^uint64(0)) }

// IsMovable reports whether v computes the same wherever its operands are available.
func IsMovable(v *vir.Value) bool {
	return vir.InfoOf(v.Op).Effect == vir.Pure || v.Op == vir.Load && v.Invariant && !v.Volatile
}

// Negation returns x if v is the bitwise negation of x, else nil.
func Negation(v *vir.Value) *vir.Value {
	if v.Op == alu.Xor && IsOnes(v.Args[1]) {
		return v.Args[0]
	}
	return nil
}

// Complements reports whether one value is the bitwise negation of the other.
func Complements(x, y *vir.Value) bool {
	return Negation(x) == y || Negation(y) == x ||
		x.Op == vir.Const && y.Op == vir.Const && x.Const^y.Const == x.Type.Elem.Mask()
}

// Other returns y if v is op(x, y) or op(y, x), else nil.
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

// MaxStep bounds the steps and initial values of counters whose range follows only from
// the size of memory.
const MaxStep = 1 << 20

// IsSmall reports whether c is certainly no farther from zero than MaxStep.
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

// IsVectorizableAccess reports whether v is an access op of a scalar that may become one
// lane of a vector access.
func IsVectorizableAccess(v *vir.Value, op vir.Op) bool {
	return v.Op == op && !v.Volatile && v.Accessed().Elem != alu.I1 && v.Accessed().IsScalar()
}

// CheapOnVectors reports whether op costs about the same on a vector as on a scalar.
func CheapOnVectors(op vir.Op) bool {
	switch op {
	case alu.UDiv, alu.SDiv, alu.URem, alu.SRem, alu.UMulHi, alu.SMulHi, alu.Clz, alu.Popcount:
		return false
	}
	return op.Pure()
}
