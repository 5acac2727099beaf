// Package ast is the syntax tree of OpenCL C, as the parser builds it and as
// the checker completes it.
//
// There is one tree. The parser fills in what was written; check.Program then
// resolves names, gives every expression its type, writes every implicit
// conversion as a Cast and replaces what has a simpler equal (sizeof by its
// value, p->f by (*p).f, parentheses by nothing). What the doc comments here
// say "when checked" holds for a tree that check.Program found no error in, and
// is all that lowering has to know of OpenCL C's rules.
//
// It knows nothing of tokens, macros or kernel IR.
package ast

import (
	"github.com/simtc/simtc/clc/types"
	"github.com/simtc/simtc/internal/diag"
)

// Node is anything with a place in the source.
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

	PrototypeCalls []*Call // calls of functions that are declared like a built-in function
}

// Pos is that of the first declaration.
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

// FuncDef is a function with its body as written.
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
	Name   string // "" for compound literals and unnamed parameters
	At     diag.Pos
	Type   types.Type
	Quals  types.Quals
	Space  types.Space // Private for ordinary locals and parameters
	Align  int64       // bytes: the type's, or more if an attribute says so
	Param  bool
	Global bool // of static storage duration: at program scope, or static in a function
	Extern bool // declared extern and not defined in its file
	Static bool // declared static
	Init   *Init

	// Definition is the variable that another file defines, if Extern; nil if none does.
	Definition *Var

	// Addressed says that & was applied to it or to a part of it, or that an
	// array in it decayed to a pointer other than for indexing: it needs memory.
	Addressed bool
	// Func is the function it is local to or a parameter of; nil at program scope.
	Func *Func
}

// Pos is where the variable is declared.
func (v *Var) Pos() diag.Pos { return v.At }

// Init is an initializer, resolved to stores. If Zero, the whole object is
// zeroed first. Stores follow in the order of evaluation; later ones overwrite
// earlier ones.
type Init struct {
	At     diag.Pos
	Zero   bool
	Stores []InitStore
	// Constant says that all stores are known to be of constants.
	Constant bool
}

// InitStore puts X, whose type is that of the part, at byte Offset.
// X may be a *StringLit for a char array; all other X are rvalues.
type InitStore struct {
	Offset int64
	X      Expr
	// Count > 1 repeats the store that often, Stride bytes apart (a GNU
	// designator range); X is evaluated once.
	Count  int64
	Stride int64
}

// Func is a function: a kernel or a helper. All its declarations share one.
type Func struct {
	Name         string
	At           diag.Pos // of the definition's name, or of the first declaration's
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
	// FirstCall is where each of Calls is called first.
	FirstCall []diag.Pos
}

// Pos is where the function's name is declared.
func (f *Func) Pos() diag.Pos { return f.At }

// Result is the type returned.
func (f *Func) Result() types.Type { return f.Type.Result }

// FuncAttrs are the attributes of functions that mean something later.
type FuncAttrs struct {
	ReqdWorkGroupSize [3]int64 // zeros if none
	WorkGroupSizeHint [3]int64
	VecTypeHint       types.Type
	SubGroupSize      int64 // intel_reqd_sub_group_size, 0 if none
	AlwaysInline      bool
	NoInline          bool
}
