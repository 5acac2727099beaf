package alu

// neutral is, by operation on integers whose order and grouping do not matter, what leaves
// other numbers as they are.
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

// Combines reports whether op puts integers together in any order and grouping alike.
func Combines(op Op) bool { return neutral[op] != nil }

// Neutral returns the integer of type t that leaves others as they are by op, which
// Combines.
func Neutral(op Op, t Type) uint64 { return neutral[op](t) }
