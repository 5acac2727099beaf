package check

import (
	"github.com/simtc/simtc/clc/ast"
	"github.com/simtc/simtc/clc/types"
	"github.com/simtc/simtc/internal/diag"
)

// Link combines checked files into one program: a declaration in one file refers to the
// definition in another (C99 §6.2.2). Functions that are static or only inline, and
// static variables, are local to their file. Link reports functions that are called but
// have no body, multiple definitions, declarations whose type differs from the
// definition, and recursion. In a library, functions may lack a body. A prototype of a built-in function that no file defines
// refers to the built-in function; builtins may be nil. The result has the functions and
// variables of all files in order.
func Link(files []*ast.File, builtins Builtins, library bool, errs *diag.List) *ast.File {
	l := &linker{errs: errs, funcs: map[string][]*ast.Func{}, file: map[*ast.Func]int{}, vars: map[string]*ast.Var{}}
	out := &ast.File{}
	for i, f := range files {
		for _, fn := range f.Funcs {
			l.defineFunc(fn, i)
		}
		for _, v := range f.Globals {
			l.defineVar(v)
		}
		out.Decls = append(out.Decls, f.Decls...)
		out.Funcs = append(out.Funcs, f.Funcs...)
		out.Globals = append(out.Globals, f.Globals...)
		out.Statics = append(out.Statics, f.Statics...)
		out.PrototypeCalls = append(out.PrototypeCalls, f.PrototypeCalls...)
	}
	for _, f := range files {
		for _, v := range f.Globals {
			l.resolveVar(v)
		}
		for _, fn := range f.Funcs {
			for _, callee := range fn.Calls {
				l.resolveFunc(callee)
			}
		}
	}
	c := &checker{file: out, builtins: builtins, errs: errs}
	c.undefined(library)
	c.recursion()
	return out
}

type linker struct {
	errs  *diag.List
	funcs map[string][]*ast.Func // definitions with external linkage
	file  map[*ast.Func]int      // index of the defining file
	vars  map[string]*ast.Var
}

func (l *linker) report(at, noteAt diag.Pos, note, format string, args ...any) {
	(&checker{errs: l.errs}).errorNote(at, noteAt, note, format, args...)
}

// external reports whether the function is visible in other files.
func external(fn *ast.Func) bool { return !fn.Static && (!fn.Inline || fn.IsKernel) }

func (l *linker) defineFunc(fn *ast.Func, file int) {
	if !external(fn) {
		return
	}
	for _, old := range l.funcs[fn.Name] {
		if old.Overloadable && fn.Overloadable && !types.CompatibleParams(old.Type, fn.Type) {
			continue
		}
		if l.file[old] != file { // the checker has already reported duplicates within one file
			l.report(fn.At, old.At, "first defined here", "function '%s' is defined twice", fn.Name)
			return
		}
	}
	if v := l.vars[fn.Name]; v != nil {
		l.report(fn.At, v.At, "defined here", "'%s' is a function here, and a variable in another source", fn.Name)
		return
	}
	l.file[fn] = file
	l.funcs[fn.Name] = append(l.funcs[fn.Name], fn)
}

func (l *linker) defineVar(v *ast.Var) {
	if v.Extern || v.Static {
		return
	}
	if old := l.vars[v.Name]; old != nil {
		l.report(v.At, old.At, "first defined here", "'%s' is defined twice", v.Name)
		return
	}
	if fns := l.funcs[v.Name]; fns != nil {
		l.report(v.At, fns[0].At, "defined here", "'%s' is a variable here, and a function in another source", v.Name)
		return
	}
	l.vars[v.Name] = v
}

// resolveVar links a variable that its file only declares to the definition.
func (l *linker) resolveVar(v *ast.Var) {
	def := l.vars[v.Name]
	if !v.Extern || v.Static || def == nil {
		return
	}
	if !types.Compatible(v.Type, def.Type) || v.Quals != def.Quals || v.Space != def.Space {
		l.report(v.At, def.At, "defined here", "'%s' is declared as '%s', and defined as '%s'",
			v.Name, declared(v), declared(def))
		return
	}
	v.Definition = def
}

// declared formats the declaration of v.
func declared(v *ast.Var) string {
	return v.Space.String() + " " + types.Declare(v.Name, v.Type, v.Quals)
}

// resolveFunc gives a function that its file only declares the body of the definition.
func (l *linker) resolveFunc(fn *ast.Func) {
	defs := l.funcs[fn.Name]
	if fn.Body != nil || fn.Static || len(defs) == 0 {
		return
	}
	for _, def := range defs {
		if !types.CompatibleParams(fn.Type, def.Type) || fn.Overloadable != def.Overloadable {
			continue
		}
		if !types.Compatible(fn.Type.Result, def.Type.Result) {
			l.report(fn.At, def.At, "defined here", "function '%s' is declared with result '%s', and defined with '%s'",
				fn.Name, fn.Type.Result, def.Type.Result)
		}
		*fn = *def
		return
	}
	if !fn.Overloadable && fn.Builtin == nil {
		l.report(fn.At, defs[0].At, "defined here", "function '%s' is declared with other parameters than it is defined with", fn.Name)
		*fn = *defs[0] // so that it is not also reported as undefined
	}
}
