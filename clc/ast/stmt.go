package ast

import (
	"github.com/simtc/simtc/internal/diag"
)

// Stmt is a statement, or a declaration among statements.
type Stmt interface {
	Node
	stmt()
}

// StmtInfo holds the fields common to all statements.
type StmtInfo struct{ At diag.Pos }

func (s *StmtInfo) Pos() diag.Pos { return s.At }
func (s *StmtInfo) stmt()         {}

// Block is { ... }.
type Block struct {
	StmtInfo
	Items []Stmt
	End   diag.Pos // of the closing brace
	// Reassociate is the setting of clang fp reassociate at the end of the block.
	Reassociate bool
}

// ExprStmt evaluates X and discards its value.
type ExprStmt struct {
	StmtInfo
	X Expr
}

// Empty is a lone semicolon.
type Empty struct{ StmtInfo }

// If runs Then if Cond (bool) is true, otherwise Else, which may be nil.
type If struct {
	StmtInfo
	Cond       Expr
	Then, Else Stmt
}

// Unroll is the unrolling requested by #pragma unroll for the next loop.
type Unroll struct {
	Set   bool // the pragma is present
	Count int  // its argument; 0 if none was given (unroll as much as possible)
	X     Expr // the argument before checking, from which the checker sets Count; or nil
}

// Vectorize is a request for the iterations of the next loop: #pragma simt loop.
type Vectorize uint8

const (
	VectorizeAuto     Vectorize = iota
	VectorizeRequired           // they run as lanes, or it is an error
	VectorizeForbidden
)

// For is for (Init; Cond; Post) Body. Init is a Declaration, ExprStmt or nil;
// Cond (bool) and Post may be nil.
type For struct {
	StmtInfo
	Init       Stmt
	Cond, Post Expr
	Body       Stmt
	Unroll     Unroll
	Vectorize  Vectorize
}

// While is while (Cond) Body, Cond being bool.
type While struct {
	StmtInfo
	Cond      Expr
	Body      Stmt
	Unroll    Unroll
	Vectorize Vectorize
}

// DoWhile is do Body while (Cond), Cond being bool.
type DoWhile struct {
	StmtInfo
	Body      Stmt
	Cond      Expr
	Unroll    Unroll
	Vectorize Vectorize
}

// Switch jumps to the Case with X's value, or to Default, or past Body. X is an integer
// after promotion. Cases are in source order and may be nested anywhere in Body; no two
// overlap. Default is nil if there is none.
type Switch struct {
	StmtInfo
	X       Expr
	Body    Stmt
	Cases   []*Case
	Default *Case
}

// Case is case Lo: (or GNU case Lo ... Hi:) or default: before Body, which is nil only
// for a label at the end of a block. Low and High are its values converted to the
// switch's type, and sign-extended if that is signed; their comparison has the signedness
// of the type.
type Case struct {
	StmtInfo
	IsDefault bool
	Lo, Hi    Expr // Hi is nil without a range
	Low, High int64
	Body      Stmt
	Switch    *Switch
}

// Labeled is Label: Body. Body is nil only at the end of a block.
type Labeled struct {
	StmtInfo
	Label *Label
	Body  Stmt
}

// Label is a label of a function; all its gotos share the object.
type Label struct {
	Name string
	At   diag.Pos
	Def  *Labeled // the first statement with this label; nil if it is not defined
	Used bool
}

// Goto jumps to Label.
type Goto struct {
	StmtInfo
	Name  string
	Label *Label
}

// Break leaves Target, the innermost *For, *While, *DoWhile or *Switch.
type Break struct {
	StmtInfo
	Target Stmt
}

// Continue starts the next iteration of Target, the innermost loop.
type Continue struct {
	StmtInfo
	Target Stmt
}

// Return leaves the function. X has the function's result type, or is nil.
type Return struct {
	StmtInfo
	X Expr
}

// BadStmt replaces a statement that could not be parsed; programs without errors contain
// none.
type BadStmt struct{ StmtInfo }

// Declaration declares variables, functions, typedefs and tags, at file scope or among
// statements. Lowering uses only Vars: the local variables declared here, in order, each
// initialized (Init) when control reaches the declaration.
type Declaration struct {
	StmtInfo
	Spec   *DeclSpec
	Decls  []*InitDeclarator
	Vars   []*Var
	Assert *StaticAssert // or nil
}

// StaticAssert is C11's _Static_assert(X, Message) before checking, in a Declaration that
// declares nothing.
type StaticAssert struct {
	X       Expr
	Message []byte
}
