// Package check completes the syntax tree of an OpenCL C program: it resolves names,
// types every expression, makes every conversion an explicit node, lays out records,
// resolves initializers to stores and reports violations of the language rules (ISO C99
// §6.5-6.9, OpenCL C 1.2 §6.1-6.11).
//
// Built-in functions are known only through the caller's Builtins. The package is
// independent of kernel IR and of code generation.
package check

import (
	"fmt"

	"github.com/simtc/simtc/clc/ast"
	"github.com/simtc/simtc/clc/types"
	"github.com/simtc/simtc/internal/diag"
)

// Builtins resolves calls of functions that the program does not declare.
//
// Lookup takes the types of the arguments (rvalues, not promoted). If name is not a
// built-in function, result and err are nil. If no overload accepts the arguments, err
// completes the text "…: no overload …"; the checker adds the position and the argument
// types. Otherwise the arguments are converted to params; if there are fewer params than
// arguments, the function is variadic. handle is stored in ast.Call.
//
// Candidates returns the declared overloads of a built-in function, which compete with
// program functions for a call with argument types args; it returns none for other names.
// Lookup is more lenient: it finds a common type for arguments that several overloads
// accept equally well.
//
// Names lists the names considered as corrections of a misspelt name.
type Builtins interface {
	Lookup(name string, args []types.Type) (result types.Type, params []types.Type, handle any, err error)
	Candidates(name string, args []types.Type) []Candidate
	Names() []string
}

// Candidate is one overload of a function.
type Candidate struct {
	Result   types.Type
	Params   []types.Type
	Variadic bool
	Handle   any // of a built-in function: the value for ast.Call.Handle
}

// Options select the dialect.
type Options struct {
	// SinglePrecisionConstant makes floating constants without suffix float
	// instead of double (-cl-single-precision-constant, or no fp64).
	SinglePrecisionConstant bool
	// GenericPointers makes an unqualified pointer point to the generic address
	// space, as OpenCL C 2.0 does, instead of to __private.
	GenericPointers bool
	// GlobalVariables allows program-scope variables in __global and without a
	// qualifier (OpenCL C 2.0); 1.2 has only __constant ones.
	GlobalVariables bool
	// LocalAnywhere allows __local variables in all blocks and functions, as the builtin
	// library needs. In programs they may be only in the outermost block of a kernel.
	LocalAnywhere bool
}

// Program checks f as a whole program, that is, File followed by Link.
func Program(f *ast.File, opts Options, builtins Builtins, errs *diag.List) {
	File(f, opts, builtins, errs)
	Link([]*ast.File{f}, builtins, false, errs)
}

// File checks f in place and fills f.Funcs and f.Globals. builtins may be nil. The
// invariants of checked trees (package ast) hold only if File adds nothing to errs.
func File(f *ast.File, opts Options, builtins Builtins, errs *diag.List) {
	c := &checker{
		file: f, opts: opts, builtins: builtins, errs: errs,
		defined: map[string]bool{},
	}
	c.push()
	for _, d := range f.Decls {
		if d, ok := d.(*ast.FuncDef); ok && d.Dcl != nil {
			c.defined[d.Dcl.Name] = true
		}
	}
	for _, d := range f.Decls {
		switch d := d.(type) {
		case *ast.Declaration:
			c.declaration(d, true)
		case *ast.FuncDef:
			c.funcDef(d)
		}
	}
}

type checker struct {
	file     *ast.File
	opts     Options
	builtins Builtins
	errs     *diag.List

	scopes []*scope

	defined map[string]bool // names of the functions defined by the program

	unevaluated int // nesting depth of sizeof operands, whose calls are not evaluated

	// of the function being checked:
	fn       *ast.Func
	calls    map[*ast.Func]bool
	unknown  map[string]bool // names already reported
	switches []*ast.Switch
	breaks   []ast.Stmt // the enclosing loops and switches
	loops    []ast.Stmt
}

// scope holds the names declared in a block; the maps are allocated on first use.
type scope struct {
	names map[string]object
	tags  map[string]*tag
}

// object is a *ast.Var, *funcSet, *ast.EnumConst or *typedef.
type object any

type typedef struct {
	qt
	at diag.Pos
}

// funcSet is the set of functions with one name. At most one of them is not overloadable.
type funcSet struct {
	fns []*ast.Func
}

// plain is the function that is not overloadable, or nil.
func (s *funcSet) plain() *ast.Func {
	for _, fn := range s.fns {
		if !fn.Overloadable {
			return fn
		}
	}
	return nil
}

// tag is the name of a struct, union or enum.
type tag struct {
	typ types.Type
	at  diag.Pos
}

func (c *checker) push() { c.scopes = append(c.scopes, &scope{}) }
func (c *checker) pop()  { c.scopes = c.scopes[:len(c.scopes)-1] }

func (c *checker) top() *scope       { return c.scopes[len(c.scopes)-1] }
func (s *scope) get(n string) object { return s.names[n] }

func (s *scope) set(name string, o object) {
	if s.names == nil {
		s.names = map[string]object{}
	}
	s.names[name] = o
}

func (c *checker) lookup(name string) object {
	for i := len(c.scopes) - 1; i >= 0; i-- {
		if o := c.scopes[i].names[name]; o != nil {
			return o
		}
	}
	return nil
}

func (c *checker) lookupTag(name string) *tag {
	for i := len(c.scopes) - 1; i >= 0; i-- {
		if t := c.scopes[i].tags[name]; t != nil {
			return t
		}
	}
	return nil
}

func (c *checker) errorf(at diag.Pos, format string, args ...any) {
	c.errs.Addf(at, format, args...)
}

// errorNote reports an error with one note.
func (c *checker) errorNote(at, noteAt diag.Pos, note, format string, args ...any) {
	e := diag.Errorf(at, format, args...)
	e.Notes = []diag.Note{{Pos: noteAt, Msg: note}}
	c.errs.Add(e)
}

// declare enters o in the innermost scope. It reports a conflict, with a note at the
// earlier declaration.
func (c *checker) declare(name string, at diag.Pos, o object) {
	if name == "" {
		return
	}
	if old := c.top().get(name); old != nil {
		if v, ok := old.(*ast.Var); ok && v.Type == nil {
			return // the earlier declaration was an error
		}
		what, oldAt := describe(old)
		c.errorNote(at, oldAt, "previous declaration is here", "'%s' is already declared as %s", name, what)
		return
	}
	c.top().set(name, o)
}

func describe(o object) (what string, at diag.Pos) {
	switch o := o.(type) {
	case *ast.Var:
		if o.Param {
			return "a parameter", o.At
		}
		return fmt.Sprintf("'%s'", types.Declare(o.Name, o.Type, o.Quals)), o.At
	case *funcSet:
		return "a function", o.fns[0].At
	case *ast.EnumConst:
		return "an enum constant", o.At
	case *typedef:
		return "a type", o.at
	}
	return "something else", diag.Pos{}
}

// undefined turns calls of prototypes that declare built-in functions into calls of
// those, and, except in a library, reports other functions that are called but have no body.
func (c *checker) undefined(library bool) {
	for _, e := range c.file.PrototypeCalls {
		if e.Func.Body == nil {
			e.Handle, e.Func = e.Func.Builtin, nil
		}
	}
	if library {
		return
	}
	reported := map[*ast.Func]bool{}
	for _, fn := range c.file.Funcs {
		for i, callee := range fn.Calls {
			if callee.Body != nil || callee.Builtin != nil || reported[callee] {
				continue
			}
			reported[callee] = true
			note := "declared here"
			if c.isBuiltin(callee.Name, callee.Type.Params) {
				note = "declared here, with other types than the built-in function of that name"
			}
			c.errorNote(fn.FirstCall[i], callee.At, note, "function '%s' is called but has no body", callee.Name)
		}
	}
}

// isBuiltin reports whether there is a built-in function of that name; params serve as
// argument types for the lookup.
func (c *checker) isBuiltin(name string, params []types.Type) bool {
	if c.builtins == nil {
		return false
	}
	result, _, _, err := c.builtins.Lookup(name, params)
	return result != nil || err != nil
}
