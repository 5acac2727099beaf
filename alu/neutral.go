package alu

// neutral has the neutral element of each associative and commutative operation on integers.
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
}

// Combines reports whether op on integers is associative and commutative.
func Combines(op Op) bool { return neutral[op] != nil }

// Neutral returns the neutral element of type t of op, for which Combines holds.
func Neutral(op Op, t Type) uint64 { return neutral[op](t) }
