package ast

import (
	"github.com/simtc/simtc/clc/types"
	"github.com/simtc/simtc/internal/diag"
)

// Expr is an expression. Before checking its Type is nil.
type Expr interface {
	Node
	// Type is the unqualified type; for an lvalue, the type of the object.
	Type() types.Type
	// Info returns the fields common to all expressions.
	Info() *ExprInfo
}

// ExprInfo holds the fields common to all expressions. The parser sets At; the checker
// sets the others.
type ExprInfo struct {
	At     diag.Pos
	Typ    types.Type
	LValue bool        // designates an object (or components of one)
	Space  types.Space // the object's address space; lvalues only
	Quals  types.Quals // the object's qualifiers; lvalues only
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
	Func *Func // the function (before checking, only set for a callee), or nil
}

// IntLit is an integer or character constant, or an expression that the language defines
// as an integer constant (sizeof, an enum constant). Value holds the bits, sign-extended
// to 64 if the type is signed.
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
// __constant. As the initializer of a char array it is truncated to the array's length
// and may then lack the NUL.
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
	Contract bool // FP_CONTRACT is on here: the operation may be fused with a multiplication
}

// Logical is scalar && or || (Op is OpLAnd or OpLOr). X and Y are bool; the result is int
// 0 or 1. Y is evaluated only if X does not determine the result.
type Logical struct {
	ExprInfo
	Op   Op
	X, Y Expr
}

// PtrAdd is pointer X plus I elements (of type long), or minus if Neg.
type PtrAdd struct {
	ExprInfo
	X, I Expr
	Neg  bool
}

// PtrDiff is the number of elements (long) from pointer Y to pointer X, whose element
// types agree.
type PtrDiff struct {
	ExprInfo
	X, Y Expr
}

// Assign is X = Y, where X is an lvalue and Y an rvalue of its type. The value is Y.
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

// Cond is C ? X : Y for a scalar C (bool when checked): only one of X and Y is evaluated,
// and both have the result's type, or all are void. X is nil for GNU's C ?: Y, which the
// checker replaces.
type Cond struct {
	ExprInfo
	C, X, Y Expr
}

// Select is the component-wise C ? X : Y for a vector C of integers: X where the sign bit
// of the component is set, else Y. All operands are evaluated.
type Select struct {
	ExprInfo
	C, X, Y Expr
}

// Comma evaluates X, discards its value and yields Y.
type Comma struct {
	ExprInfo
	X, Y Expr
}

// Sizeof is sizeof, alignof or vec_step of an expression or a type, before checking; the
// checker replaces it by an IntLit.
type Sizeof struct {
	ExprInfo
	Op string // "sizeof", "alignof", "vec_step"
	X  Expr   // or nil
	Of *TypeName
}

// Offsetof is the GNU C __builtin_offsetof of a member of a type, before checking; the
// checker replaces it by an IntLit.
type Offsetof struct {
	ExprInfo
	Of   *TypeName
	Path []Designator
}

// CastKind is a kind of conversion.
type CastKind uint8

const (
	NoOp           CastKind = iota // same representation (enum to its integer, signed to unsigned of a width)
	LValueToRValue                 // read the object; the type is unchanged
	ArrayDecay                     // array lvalue to pointer to its first element
	IntResize                      // integer to integer of another width: truncate, or extend by the source's signedness
	IntToFloat                     // by the source's signedness, to nearest even
	FloatToInt                     // toward zero
	FloatResize                    // between half, float and double, to nearest even
	ToBool                         // scalar (number or pointer) compared unequal to zero
	Splat                          // scalar to a vector of its type
	PtrCast                        // pointer to pointer, possibly in another address space
	PtrToInt                       // to a 64-bit integer (a resize follows if needed)
	IntToPtr                       // from a 64-bit integer; constant 0 is null
	ToVoid                         // discard the value
	Reinterpret                    // vector or scalar to another type of the same size, bit by bit
	MostlyZero                     // the unchanged value, which the program expects to be usually 0
	MostlyNot                      // the unchanged value, which the program expects to be usually nonzero
)

var castNames = [...]string{
	"noop", "load", "decay", "int-resize", "int-to-float", "float-to-int", "float-resize", "to-bool",
	"splat", "ptr-cast", "ptr-to-int", "int-to-ptr", "to-void", "reinterpret", "mostly-zero", "mostly-not",
}

func (k CastKind) String() string { return castNames[k] }

// Cast converts X to Type. When checked, all conversions are explicit Casts; Implicit is
// set on those without a cast in the source. One source cast may become several (int to
// float4: IntToFloat, then Splat). bool counts as an unsigned integer 0 or 1: IntResize
// and IntToFloat convert from it, only ToBool converts to it.
type Cast struct {
	ExprInfo
	Kind     CastKind
	Implicit bool
	To       *TypeName // as written, or nil
	X        Expr
	// Paren is set before checking if the parser cannot distinguish (T)(x).y of a vector
	// from (T)((x).y): it is the parenthesized list, and X is the expression that
	// continues after it.
	Paren *VectorLit
}

// VectorLit is (float4)(a, b, c): each element is a scalar of the component type or a
// vector of such; together they have as many components as Type. With a single element it
// becomes a Cast instead. Before checking, Elems may be arbitrary, and To may be another
// type, which makes it a cast of a comma expression, or nil for the comma expression
// alone.
type VectorLit struct {
	ExprInfo
	To    *TypeName
	Elems []Expr
}

// CompoundLit is (T){...}: an lvalue that designates an unnamed object with initializer
// Var.Init, which is initialized at each evaluation.
type CompoundLit struct {
	ExprInfo
	To   *TypeName
	List *InitList // as written
	Var  *Var
}

// InitList is a braced initializer as written. The checker replaces it by an Init.
type InitList struct {
	ExprInfo
	Items []InitItem
}

// InitItem is one element of an InitList with its designators.
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

// VecIndex is V[I] for a vector V (lvalue or not) and I of type long. I is taken modulo
// the number of components, rounded up to a power of two.
type VecIndex struct {
	ExprInfo
	X, I Expr
}

// Member is X.Name for a struct or union X, an lvalue or rvalue. p->f becomes Member of a
// Unary OpDeref. Offset is the field's offset from the start of X, including those of
// anonymous members.
type Member struct {
	ExprInfo
	X      Expr
	Name   string
	Arrow  bool // only before checking
	Field  *types.Field
	Offset int64
}

// Swizzle selects components Idx of the vector X, which is not itself a Swizzle; a single
// component gives a scalar. It is an lvalue if X is one and no component is repeated. An
// index equals X's component count only for the 4th component selected by .hi or .odd of
// a 3-component vector, which reads as 0 and ignores writes.
type Swizzle struct {
	ExprInfo
	X   Expr
	Idx []uint8
}

// Call calls Func, or the built-in function Handle if Func is nil. Args have the types of
// the parameters; further arguments of a variadic callee are rvalues after integer
// promotion.
type Call struct {
	ExprInfo
	Name   string
	NameAt diag.Pos
	Fun    Expr      // the callee as written; only before checking
	To     *TypeName // the type operand of clang's __builtin_astype, _bit_cast and _convertvector; only before checking
	Args   []Expr
	Func   *Func
	Handle any
	// Contract means that mad may be one operation: see Binary.
	Contract bool
}

// StmtExpr is GNU ({ ... }): its value is that of the statement returned by Last, or
// void.
type StmtExpr struct {
	ExprInfo
	Body *Block
}

// Last returns the index of the item that gives e its value, which is the last one that
// is not an empty statement, and its expression statement, which may have labels. x is
// nil if the item is not an expression statement.
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

// BadExpr replaces an expression that could not be parsed or typed; an error has been
// reported. Programs without errors contain none.
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
