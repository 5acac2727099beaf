package alu

import "math"

// neutral has the neutral element of each operation that is associative and commutative, for
// floats if reassociation is allowed.
var neutral = map[Op]func(t Type) uint64{
	Add:  func(Type) uint64 { return 0 },
	Or:   func(Type) uint64 { return 0 },
	Xor:  func(Type) uint64 { return 0 },
	UMax: func(Type) uint64 { return 0 },
	Mul:  func(Type) uint64 { return 1 },
	And:  func(t Type) uint64 { return t.Mask() },
	UMin: func(t Type) uint64 { return t.Mask() },
	SMin: func(t Type) uint64 { return t.Mask() >> 1 },
	SMax: func(t Type) uint64 { return t.Mask()>>1 + 1 },
	FAdd: func(t Type) uint64 { return floatBits(t, math.Copysign(0, -1)) },
	FMul: func(t Type) uint64 { return floatBits(t, 1) },
	FMin: func(t Type) uint64 { return floatBits(t, math.Inf(1)) },
	FMax: func(t Type) uint64 { return floatBits(t, math.Inf(-1)) },
}

// Combines reports whether op on integers is associative and commutative.
func Combines(op Op) bool { return neutral[op] != nil && !CombinesFloats(op) }

// CombinesFloats reports whether op on floats is commutative, and associative except for rounding and
// the signs of zeros.
func CombinesFloats(op Op) bool { return op == FAdd || op == FMul || op == FMin || op == FMax }

// Neutral returns the neutral element of type t of op, for which Combines holds.
func Neutral(op Op, t Type) uint64 { return neutral[op](t) }
