package alu

import "fmt"

// Op names an operation of either IR. The pure operations below are shared; each IR
// numbers its own memory, launch and lane operations from FirstIR on.
type Op uint8

const (
	Invalid Op = iota

	Add
	Sub
	Mul
	UMulHi // high half of the double-width product
	SMulHi
	UDiv // x/0 = x
	SDiv // x/0 = x, MIN/-1 = MIN
	URem // x%0 = 0
	SRem // x%0 = 0, MIN%-1 = 0
	And
	Or
	Xor
	Shl // shift amounts are taken modulo the width
	LShr
	AShr
	Rotl
	SMin
	SMax
	UMin
	UMax
	UAddSat // saturating sums and differences
	SAddSat
	USubSat
	SSubSat
	Abs      // two's complement: Abs(MIN) = MIN
	Clz      // Clz(0) = width
	Popcount // number of ones
	DotUS    // a's unsigned bytes times b's signed bytes, summed with c modulo 2^32
	DotUSSat // the same, but the sum saturates as a signed number

	FAdd
	FSub
	FMul
	FDiv
	FMin // a<b or b is NaN: a, else b
	FMax // a>b or b is NaN: a, else b
	PMin // a<b: a, else b, as a compare and select; WebAssembly's pmin of b and a
	PMax // a>b: a, else b
	FMA  // a*b+c rounded once
	FNeg
	FAbs
	FSqrt
	FFloor
	FCeil
	FTrunc
	FRint // to nearest, ties to even

	Eq
	Ne
	Slt
	Sle
	Ult
	Ule
	FEq // ordered
	FNe // true when unordered
	FLt // ordered
	FLe // ordered

	Select // cond ? a : b

	Trunc
	ZExt
	SExt
	FPTrunc
	FPExt
	SIToFP // from I32 or I64
	UIToFP
	FPToSI // to I32 or I64, toward zero; NaN and out of range give MIN
	FPToUI // to I32 or I64, toward zero; NaN and out of range give all ones
	Bitcast

	NumPure
	// FirstIR is the first number an IR gives to operations of its own.
	FirstIR Op = 96
)

// Class relates the operand types and the result type of a pure operation.
type Class uint8

const (
	NotPure Class = iota
	Binary        // T, T -> T
	Unary         // T -> T
	Ternary       // T, T, T -> T
	Compare       // T, T -> i1
	Choose        // i1, T, T -> T
	Convert       // T -> U
)

// Domain is a set of operand types.
type Domain uint8

const (
	Ints     Domain = 1 << iota // i8 to i64
	Bool                        // i1
	Floats                      // f32, f64
	Pointers                    // any ptr
	Halves                      // f16: moved and converted, not computed with
	Words                       // i32 only
)

// Info is the table row of a pure operation.
type Info struct {
	Name        string
	Class       Class
	Args        int
	Domain      Domain // of the operands of type T
	Commutative bool   // in the first two operands
}

var table = [NumPure]Info{
	Add:      {"add", Binary, 2, Ints, true},
	Sub:      {"sub", Binary, 2, Ints, false},
	Mul:      {"mul", Binary, 2, Ints, true},
	UMulHi:   {"umulhi", Binary, 2, Ints, true},
	SMulHi:   {"smulhi", Binary, 2, Ints, true},
	UDiv:     {"udiv", Binary, 2, Ints, false},
	SDiv:     {"sdiv", Binary, 2, Ints, false},
	URem:     {"urem", Binary, 2, Ints, false},
	SRem:     {"srem", Binary, 2, Ints, false},
	And:      {"and", Binary, 2, Ints | Bool, true},
	Or:       {"or", Binary, 2, Ints | Bool, true},
	Xor:      {"xor", Binary, 2, Ints | Bool, true},
	Shl:      {"shl", Binary, 2, Ints, false},
	LShr:     {"lshr", Binary, 2, Ints, false},
	AShr:     {"ashr", Binary, 2, Ints, false},
	Rotl:     {"rotl", Binary, 2, Ints, false},
	SMin:     {"smin", Binary, 2, Ints, true},
	SMax:     {"smax", Binary, 2, Ints, true},
	UMin:     {"umin", Binary, 2, Ints, true},
	UMax:     {"umax", Binary, 2, Ints, true},
	UAddSat:  {"uaddsat", Binary, 2, Ints, true},
	SAddSat:  {"saddsat", Binary, 2, Ints, true},
	USubSat:  {"usubsat", Binary, 2, Ints, false},
	SSubSat:  {"ssubsat", Binary, 2, Ints, false},
	Abs:      {"abs", Unary, 1, Ints, false},
	Clz:      {"clz", Unary, 1, Ints, false},
	Popcount: {"popcount", Unary, 1, Ints, false},
	DotUS:    {"dotus", Ternary, 3, Words, false},
	DotUSSat: {"dotussat", Ternary, 3, Words, false},

	FAdd:   {"fadd", Binary, 2, Floats, true},
	FSub:   {"fsub", Binary, 2, Floats, false},
	FMul:   {"fmul", Binary, 2, Floats, true},
	FDiv:   {"fdiv", Binary, 2, Floats, false},
	FMin:   {"fmin", Binary, 2, Floats, false},
	FMax:   {"fmax", Binary, 2, Floats, false},
	PMin:   {"pmin", Binary, 2, Floats, false},
	PMax:   {"pmax", Binary, 2, Floats, false},
	FMA:    {"fma", Ternary, 3, Floats, true},
	FNeg:   {"fneg", Unary, 1, Floats, false},
	FAbs:   {"fabs", Unary, 1, Floats, false},
	FSqrt:  {"fsqrt", Unary, 1, Floats, false},
	FFloor: {"ffloor", Unary, 1, Floats, false},
	FCeil:  {"fceil", Unary, 1, Floats, false},
	FTrunc: {"ftrunc", Unary, 1, Floats, false},
	FRint:  {"frint", Unary, 1, Floats, false},

	Eq:  {"eq", Compare, 2, Ints | Bool | Pointers, true},
	Ne:  {"ne", Compare, 2, Ints | Bool | Pointers, true},
	Slt: {"slt", Compare, 2, Ints, false},
	Sle: {"sle", Compare, 2, Ints, false},
	Ult: {"ult", Compare, 2, Ints | Pointers, false},
	Ule: {"ule", Compare, 2, Ints | Pointers, false},
	FEq: {"feq", Compare, 2, Floats, true},
	FNe: {"fne", Compare, 2, Floats, true},
	FLt: {"flt", Compare, 2, Floats, false},
	FLe: {"fle", Compare, 2, Floats, false},

	Select: {"select", Choose, 3, Ints | Bool | Floats | Pointers | Halves, false},

	Trunc:   {"trunc", Convert, 1, Ints, false},
	ZExt:    {"zext", Convert, 1, Ints | Bool, false},
	SExt:    {"sext", Convert, 1, Ints | Bool, false},
	FPTrunc: {"fptrunc", Convert, 1, Floats, false},
	FPExt:   {"fpext", Convert, 1, Floats | Halves, false},
	SIToFP:  {"sitofp", Convert, 1, Ints, false},
	UIToFP:  {"uitofp", Convert, 1, Ints, false},
	FPToSI:  {"fptosi", Convert, 1, Floats, false},
	FPToUI:  {"fptoui", Convert, 1, Floats, false},
	Bitcast: {"bitcast", Convert, 1, Ints | Floats | Pointers | Halves, false},
}

// Pure reports whether op is one of the shared pure operations.
func (op Op) Pure() bool { return op > Invalid && op < NumPure }

// InfoOf returns the row of a pure operation; the zero Info for others.
func InfoOf(op Op) Info {
	if !op.Pure() {
		return Info{}
	}
	return table[op]
}

func domainOf(t Type) Domain {
	switch {
	case t == I32:
		return Ints | Words
	case t.IsInt():
		return Ints
	case t == I1:
		return Bool
	case t == F16:
		return Halves
	case t.IsFloat():
		return Floats
	case t.IsPtr():
		return Pointers
	}
	return 0
}

// ResultType returns the type of op applied to operands of type arg (the type T of its class), where want
// is the result type of a conversion. The error names the mismatch.
func ResultType(op Op, arg, want Type) (Type, error) {
	in := InfoOf(op)
	if in.Class == NotPure {
		return Void, fmt.Errorf("op %d is not a pure operation", op)
	}
	if domainOf(arg)&in.Domain == 0 {
		return Void, fmt.Errorf("%s does not take %s", in.Name, arg)
	}
	switch in.Class {
	case Compare:
		return I1, nil
	case Convert:
		return want, checkConvert(op, arg, want)
	}
	return arg, nil
}

func checkConvert(op Op, from, to Type) error {
	ok := false
	wide := func(t Type) bool { return t == I32 || t == I64 }
	computed := func(t Type) bool { return t == F32 || t == F64 }
	switch op {
	case Trunc:
		ok = to.IsInt() && to.Bits() < from.Bits() || to == I1
	case ZExt, SExt:
		ok = to.IsInt() && to.Bits() > from.Bits()
	case FPTrunc:
		ok = to.IsFloat() && to.Bits() < from.Bits()
	case FPExt:
		ok = computed(to) && to.Bits() > from.Bits()
	case SIToFP, UIToFP:
		ok = wide(from) && computed(to)
	case FPToSI, FPToUI:
		ok = wide(to)
	case Bitcast:
		ok = to != from && to.Bits() == from.Bits() && to != Void
	}
	if !ok {
		return fmt.Errorf("%s cannot convert %s to %s", InfoOf(op).Name, from, to)
	}
	return nil
}
