// Package alu defines the computations of one lane: the scalar types and the pure
// operations that the kernel IR and the vector IR share. Each operation is defined once,
// with its name, typing rule and semantics.
//
// The package is independent of values, blocks, memory and lanes.
package alu

import "fmt"

// Type is the type of one lane's value. Pointers have an address space only; each access gives the type
// of its memory.
type Type uint8

const (
	Void Type = iota
	I1
	I8
	I16
	I32
	I64
	F16
	F32
	F64
	PtrPrivate  // __private, one memory per work-item
	PtrGlobal   // __global
	PtrConstant // __constant, never written during a launch
	PtrLocal    // __local, one memory per work-group
	PtrGeneric  // OpenCL 2.0's generic address space
	NumTypes
)

var typeNames = [NumTypes]string{
	"void", "i1", "i8", "i16", "i32", "i64", "f16", "f32", "f64",
	"ptr.private", "ptr.global", "ptr.constant", "ptr.local", "ptr.generic",
}

var typeBits = [NumTypes]int{0, 1, 8, 16, 32, 64, 16, 32, 64, 64, 64, 64, 64, 64}

// String returns the type's name in the text forms.
func (t Type) String() string {
	if t < NumTypes {
		return typeNames[t]
	}
	return fmt.Sprintf("type(%d)", uint8(t))
}

// ParseType is the inverse of String.
func ParseType(s string) (Type, bool) {
	for i, n := range typeNames {
		if n == s {
			return Type(i), true
		}
	}
	return Void, false
}

// Bits returns the width in bits; pointers have 64.
func (t Type) Bits() int { return typeBits[t] }

// Size returns the size in memory in bytes; an i1 has none and returns 0.
func (t Type) Size() int { return typeBits[t] / 8 }

// IsInt reports whether t is I8 to I64.
func (t Type) IsInt() bool { return t >= I8 && t <= I64 }

// IsFloat reports whether t is F16, F32 or F64.
func (t Type) IsFloat() bool { return t >= F16 && t <= F64 }

// IsPtr reports whether t is a pointer.
func (t Type) IsPtr() bool { return t >= PtrPrivate && t <= PtrGeneric }

// Mask returns the bits that a value of type t may have set.
func (t Type) Mask() uint64 {
	if b := t.Bits(); b < 64 {
		return 1<<b - 1
	}
	return ^uint64(0)
}

// IntOf returns the integer type of n bits.
func IntOf(n int) Type {
	switch n {
	case 1:
		return I1
	case 8:
		return I8
	case 16:
		return I16
	case 32:
		return I32
	case 64:
		return I64
	}
	return Void
}

// Signed returns the number in the low bits of v, read as two's complement.
func (t Type) Signed(v uint64) int64 {
	unused := 64 - t.Bits()
	return int64(v<<unused) >> unused
}
