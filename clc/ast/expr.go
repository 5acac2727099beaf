package ast

import (
	"github.com/simtc/simtc/clc/types"
	"github.com/simtc/simtc/internal/diag"
)

// Expr is an expression. Before checking its Type is nil.
type Expr interface {
	Node
	// Type is the unqualified type; of an lvalue, the type of the object.
	Type() types.Type
	// Info gives the facts every expression has, for reading and changing.
	Info() *ExprInfo
}

// ExprInfo is what all expressions share. The checker fills all but At.
type ExprInfo struct {
	At     diag.Pos
	Typ    types.Type
	LValue bool        // designates an object (or components of one)
	Space  types.Space // where that object lies; meaningful for lvalues only
	Quals  types.Quals // how that object is qualified; lvalues only
}

func (i *ExprInfo) Pos() diag.Pos    { return i.At }
func (i *ExprInfo) Type() types.Type { return i.Typ }
func (i *ExprInfo) Info() *ExprInfo  { return i }

// Ident is a use of a variable, parameter or function. Enum constants become
// IntLit when checked.
type Ident struct {
	ExprInfo
	Name string
	Var  *Var  // the variable, or nil
	Func *Func // the function (only as the callee before checking), or nil
}

// IntLit is an integer or character constant, or an expression the language
// defines to be one (sizeof, an enum constant). Value holds the bits,
// sign-extended to 64 where the type is signed.
type IntLit struct {
	ExprInfo
	Text  string // as written
	Value uint64
}

// FloatLit is a floating constant, already rounded to its type.
type FloatLit struct {
	ExprInfo
	Text  string
	Value float64
}

// StringLit is a string with its terminating NUL: an lvalue of type char[n] in
// __constant. As an initializer of a char array it is cut to the array's
// length and may then lack the NUL.
type StringLit struct {
	ExprInfo
	Value []byte
}

// Unary applies Op, one of OpNeg, OpPlus, OpNot (~), OpLNot (!), OpDeref,
// OpAddr, to X.
//
//	OpNeg OpNot  X has the result's type (scalar or vector)
//	OpPlus       is replaced by X when checked
//	OpLNot       scalar: X is bool, result int; vector: X of any component
//	             type, result the signed integer vector, -1 where X is 0
//	OpDeref      X is a pointer rvalue; the result is an lvalue
//	OpAddr       X is an lvalue; the result a pointer
type Unary struct {
	ExprInfo
	Op Op
	X  Expr
}

// IncDec is ++ or -- of lvalue X, whose type is the result's. Op is OpAdd or
// OpSub of 1; of a pointer, of one element; bool saturates (++ gives 1, --
// toggles, as X = X ± 1 converted to bool).
type IncDec struct {
	ExprInfo
	Op   Op
	Post bool // the result is the old value
	X    Expr
}

// Binary is X Op Y without short circuit.
//
//	OpAdd OpSub OpMul OpDiv OpRem OpAnd OpOr OpXor
//	             X, Y and the result have one type (scalar or vector)
//	OpShl OpShr  the result has X's type; Y is an integer of its own scalar
//	             type, or a vector of as many components; amounts are taken
//	             modulo X's component width
//	OpLT … OpNE  X and Y have one type (a pointer too); the result is int, or
//	             for vectors the signed integer vector, -1 where true
//	OpLAnd OpLOr of vectors only (scalars use Logical): X and Y have one
//	             type, the result is the signed integer vector
type Binary struct {
	ExprInfo
	Op       Op
	X, Y     Expr
	Contract bool // FP_CONTRACT is on here: may fuse with a multiplication
}

// Logical is scalar && or || (Op is OpLAnd or OpLOr); X and Y are bool, the
// result is int 0 or 1. Y is evaluated only if X does not decide.
type Logical struct {
	ExprInfo
	Op   Op
	X, Y Expr
}

// PtrAdd is pointer X moved by I elements (of type long), backwards if Neg.
type PtrAdd struct {
	ExprInfo
	X, I Expr
	Neg  bool
}

// PtrDiff is the number of elements (long) from pointer Y to pointer X, whose
// pointee types agree.
type PtrDiff struct {
	ExprInfo
	X, Y Expr
}

// Assign is X = Y: X an lvalue, Y an rvalue of its type; the value is Y's.
type Assign struct {
	ExprInfo
	X, Y Expr
}

// CompoundAssign is X Op= Y: X is read once, converted to Compute, combined
// with Y, converted back to its own type and stored; that is the value.
//
//	Y has type Compute, except that for OpShl and OpShr Y has a type of its
//	own (see Binary), and for a pointer X it is long and Op is OpAdd or OpSub.
//
// The two conversions have kinds ToCompute and FromCompute.
type CompoundAssign struct {
	ExprInfo
	Op          Op
	X, Y        Expr
	Compute     types.Type
	ToCompute   CastKind // X's type to Compute; NoOp when equal
	FromCompute CastKind // Compute to X's type
	Contract    bool
}

// Cond is C ? X : Y for a scalar C (bool when checked): only one of X and Y
// is evaluated, and both have the result's type, or all are void. The parser
// leaves X nil in GNU's C ?: Y, which the checker replaces.
type Cond struct {
	ExprInfo
	C, X, Y Expr
}

// Select is the component-wise C ? X : Y for a vector C of integers: X where
// the component's highest bit is set, else Y. All are evaluated.
type Select struct {
	ExprInfo
	C, X, Y Expr
}

// Comma evaluates X, drops it and gives Y.
type Comma struct {
	ExprInfo
	X, Y Expr
}

// Sizeof is sizeof, alignof or vec_step of an expression or a type, before
// checking; the checker puts an IntLit in its place.
type Sizeof struct {
	ExprInfo
	Op string // "sizeof", "alignof", "vec_step"
	X  Expr   // or nil
	Of *TypeName
}

// Offsetof is the GNU C __builtin_offsetof of a member of a type, before
// checking; the checker puts an IntLit in its place.
type Offsetof struct {
	ExprInfo
	Of   *TypeName
	Path []Designator
}

// CastKind says what a conversion does.
type CastKind uint8

const (
	NoOp           CastKind = iota // same representation (enum to its integer, signed to unsigned of a width)
	LValueToRValue                 // read the object; the type stays
	ArrayDecay                     // array lvalue to pointer to its first element
	IntResize                      // integer to integer of another width: truncate, or extend by the source's sign
	IntToFloat                     // by the source's sign, to nearest even
	FloatToInt                     // toward zero
	FloatResize                    // between half, float and double, to nearest even
	ToBool                         // scalar (number or pointer) compared unequal to zero
	Splat                          // scalar to a vector of its type
	PtrCast                        // pointer to pointer, maybe another address space
	PtrToInt                       // to an integer of 64 bits (a resize follows if needed)
	IntToPtr                       // from an integer of 64 bits; constant 0 is null
	ToVoid                         // drop the value
	Reinterpret                    // vector or scalar to another type of the same size, bit for bit
	MostlyZero                     // the value as it is, of which the program says that it is mostly 0
	MostlyNot                      // and that it is mostly not 0
)

var castNames = [...]string{
	"noop", "load", "decay", "int-resize", "int-to-float", "float-to-int", "float-resize", "to-bool",
	"splat", "ptr-cast", "ptr-to-int", "int-to-ptr", "to-void", "reinterpret", "mostly-zero", "mostly-not",
}

func (k CastKind) String() string { return castNames[k] }

// Cast converts X to Type. All conversions are there as Cast when checked,
// those the source does not spell with Implicit set; one written cast may
// become several (int to float4: IntToFloat, then Splat). bool counts as an
// unsigned integer that holds 0 or 1: from it come IntResize and IntToFloat,
// to it comes only ToBool.
type Cast struct {
	ExprInfo
	Kind     CastKind
	Implicit bool
	To       *TypeName // as written, or nil
	X        Expr
	// Paren is, before checking, what stands in parentheses where X goes on behind
	// them and the parser cannot tell (T)(x).y of a vector from (T)((x).y).
	Paren *VectorLit
}

// VectorLit is (float4)(a, b, c): each element is a scalar of the component
// type or a vector of such; together they have as many components as Type. A
// single element is a Cast instead. Before checking Elems may be anything and
// To may name no vector, which makes it a cast of a comma expression, or be nil
// for that expression alone.
type VectorLit struct {
	ExprInfo
	To    *TypeName
	Elems []Expr
}

// CompoundLit is (T){...}: an lvalue, an unnamed object with initializer
// Var.Init that is made anew each time.
type CompoundLit struct {
	ExprInfo
	To   *TypeName
	List *InitList // as written
	Var  *Var
}

// InitList is a braced initializer as written; the checker turns it into an
// Init and it is not seen after.
type InitList struct {
	ExprInfo
	Items []InitItem
}

// InitItem is one element of an InitList, with its designators.
type InitItem struct {
	Designators []Designator
	Value       Expr
}

// Designator is .Name or [Index] (GNU [Index ... Last] too).
type Designator struct {
	At          diag.Pos
	Name        string
	Index, Last Expr
}

// Index is X[I]. X is a pointer rvalue and I a long when checked; the result
// is an lvalue.
type Index struct {
	ExprInfo
	X, I Expr
}

// VecIndex is V[I] for a vector V (lvalue or not) and I of type long; I is
// taken modulo the (rounded up) number of components.
type VecIndex struct {
	ExprInfo
	X, I Expr
}

// Member is X.Name for a struct or union X, an lvalue or rvalue. p->f becomes
// Member of a Unary OpDeref. Offset is that of the field from the start of X,
// through anonymous members.
type Member struct {
	ExprInfo
	X      Expr
	Name   string
	Arrow  bool // only before checking
	Field  *types.Field
	Offset int64
}

// Swizzle picks components Idx of the vector X, which is no Swizzle itself; a
// single one gives a scalar. It is an lvalue if X is one and no component comes
// twice. An index may be X's component count only where .hi or .odd of a
// 3-component vector asks for the 4th, which reads as 0 and drops writes.
type Swizzle struct {
	ExprInfo
	X   Expr
	Idx []uint8
}

// Call calls Func, or else the built-in function Handle. Args have the
// parameters' types; further arguments of a variadic callee are rvalues after
// integer promotion.
type Call struct {
	ExprInfo
	Name   string
	NameAt diag.Pos
	Fun    Expr      // the callee as written; only before checking
	To     *TypeName // the type among the operands of clang's __builtin_astype, _bit_cast and _convertvector; only before checking
	Args   []Expr
	Func   *Func
	Handle any
}

// StmtExpr is GNU ({ ... }): its value is that of the statement that Last finds, or void.
type StmtExpr struct {
	ExprInfo
	Body *Block
}

// Last returns the index of the item that gives e its value, the last one that is no lone
// semicolon, and the expression statement that it is, perhaps after labels; x is nil if it
// is none.
func (e *StmtExpr) Last() (item int, x *ExprStmt) {
	items := e.Body.Items
	item = len(items) - 1
	for ; item >= 0; item-- {
		if _, empty := items[item].(*Empty); !empty {
			break
		}
	}
	if item < 0 {
		return item, nil
	}
	s := items[item]
	for {
		l, ok := s.(*Labeled)
		if !ok {
			x, _ = s.(*ExprStmt)
			return item, x
		}
		s = l.Body
	}
}

// BadExpr stands where an expression could not be parsed or typed; an error
// has been reported. Programs without errors have none.
type BadExpr struct{ ExprInfo }

// Op is an operator.
type Op uint8

const (
	OpNone Op = iota
	OpAdd
	OpSub
	OpMul
	OpDiv
	OpRem
	OpAnd
	OpOr
	OpXor
	OpShl
	OpShr
	OpLT
	OpGT
	OpLE
	OpGE
	OpEQ
	OpNE
	OpLAnd
	OpLOr
	OpNeg
	OpPlus
	OpNot
	OpLNot
	OpDeref
	OpAddr
)

var opNames = [...]string{
	"?", "+", "-", "*", "/", "%", "&", "|", "^", "<<", ">>", "<", ">", "<=", ">=", "==", "!=", "&&", "||",
	"-", "+", "~", "!", "*", "&",
}

func (op Op) String() string { return opNames[op] }

// IsComparison reports whether op is one of < > <= >= == !=.
func (op Op) IsComparison() bool { return op >= OpLT && op <= OpNE }

// IsShift reports whether op is << or >>.
func (op Op) IsShift() bool { return op == OpShl || op == OpShr }
