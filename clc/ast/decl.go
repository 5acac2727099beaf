// Package ast defines the syntax tree of OpenCL C. The parser builds it and the checker
// completes it in place.
//
// The parser stores the program as written. check.Program then resolves names, types
// every expression, makes every implicit conversion an explicit Cast and simplifies:
// sizeof becomes its value, p->f becomes (*p).f, and parentheses disappear. Statements in
// the doc comments marked "when checked" hold for trees that check.Program accepted.
// Lowering needs no other knowledge of the rules of OpenCL C.
//
// The package is independent of tokens, macros and kernel IR.
package ast

import (
	"github.com/simtc/simtc/clc/types"
	"github.com/simtc/simtc/internal/diag"
)

// Node is a part of the tree that has a source position.
type Node interface {
	Pos() diag.Pos
}

// File is a translation unit.
type File struct {
	Decls []Decl // as written, in order

	// Filled by the checker, in source order:
	Funcs   []*Func // functions with a body, kernels and helpers
	Globals []*Var  // program-scope variables, each once
	Statics []*Var  // static variables of functions

	PrototypeCalls []*Call // calls of functions declared like a built-in function
}

// Pos returns the position of the first declaration.
func (f *File) Pos() (p diag.Pos) {
	if len(f.Decls) > 0 {
		p = f.Decls[0].Pos()
	}
	return p
}

// Kernel returns the kernel called name, or nil.
func (f *File) Kernel(name string) *Func {
	for _, fn := range f.Funcs {
		if fn.IsKernel && fn.Name == name {
			return fn
		}
	}
	return nil
}

// Decl is a *Declaration or a *FuncDef.
type Decl interface {
	Node
	decl()
}

func (*Declaration) decl() {}

// FuncDef is a function definition as written.
type FuncDef struct {
	At     diag.Pos
	Spec   *DeclSpec
	Dcl    *Declarator
	Body   *Block
	Labels []*Label // in order of appearance
	Func   *Func    // when checked
}

func (d *FuncDef) Pos() diag.Pos { return d.At }
func (*FuncDef) decl()           {}

// Var is a variable, a parameter or the object of a compound literal.
type Var struct {
	Name  string // "" for compound literals and unnamed parameters
	At    diag.Pos
	Type  types.Type
	Quals types.Quals
	Space types.Space // Private for ordinary locals and parameters
	Align int64       // in bytes: the alignment of the type, or a larger one from an attribute
	Param bool
	// Typedef is the type of a parameter as written if it is a typedef's name, with a * for each
	// pointer to it; else it is empty.
	Typedef string
	Global  bool // of static storage duration: at program scope, or static in a function
	Extern  bool // declared extern and not defined in its file
	Static  bool // declared static
	Init    *Init

	// Definition is the variable defined in another file if Extern is set; nil if there
	// is none.
	Definition *Var

	// Addressed reports that & was applied to the variable or a part of it, or that an
	// array in it decayed to a pointer other than for indexing. Such a variable needs
	// memory.
	Addressed bool
	// Func is the function that contains the variable or parameter; nil at program scope.
	Func *Func
}

// Pos returns the position of the declaration.
func (v *Var) Pos() diag.Pos { return v.At }

// Init is an initializer, resolved to stores. If Zero is set, the whole object is zeroed
// first. Stores are in order of evaluation; later ones overwrite earlier ones.
type Init struct {
	At     diag.Pos
	Zero   bool
	Stores []InitStore
	// Constant reports that all stored values are known to be constants.
	Constant bool
}

// InitStore stores X, whose type is that of the initialized part, at byte Offset. X may
// be a *StringLit for a char array; otherwise X is an rvalue.
type InitStore struct {
	Offset int64
	X      Expr
	// Count > 1 repeats the store at intervals of Stride bytes (a GNU designator range);
	// X is evaluated once.
	Count  int64
	Stride int64
}

// Func is a function: a kernel or a helper. All its declarations share one Func.
type Func struct {
	Name         string
	At           diag.Pos // of the name in the definition, or else in the first declaration
	Type         *types.Func
	Params       []*Var
	IsKernel     bool
	Inline       bool
	Static       bool
	Overloadable bool
	Attrs        FuncAttrs
	Body         *Block // nil if only declared
	Builtin      any    // handle of the built-in function with this declaration, or nil
	Labels       []*Label
	// Calls lists the user functions called in the body, each once, in order.
	Calls []*Func
	// FirstCall holds the position of the first call of each of Calls.
	FirstCall []diag.Pos
}

// Pos returns the position of the function's name.
func (f *Func) Pos() diag.Pos { return f.At }

// Result is the return type.
func (f *Func) Result() types.Type { return f.Type.Result }

// FuncAttrs are the function attributes that affect later stages.
type FuncAttrs struct {
	ReqdWorkGroupSize [3]int64 // zeros if not given
	WorkGroupSizeHint [3]int64
	VecTypeHint       types.Type
	SubGroupSize      int64 // intel_reqd_sub_group_size, 0 if not given
	AlwaysInline      bool
	NoInline          bool
}
