package check

import (
	"fmt"
	"slices"
	"strings"

	"github.com/simtc/simtc/clc/ast"
	"github.com/simtc/simtc/clc/types"
)

// call types a function call. A program function that is not overloadable hides the
// built-in functions of its name; overloadable program functions and built-in functions
// form one overload set.
func (c *checker) call(e *ast.Call) ast.Expr {
	bad := false
	for i, a := range e.Args {
		e.Args[i] = c.rvalue(c.expr(a))
		if isBad(e.Args[i]) {
			bad = true
		} else if types.IsVoid(e.Args[i].Type()) {
			c.errorf(e.Args[i].Pos(), "argument %d has type 'void'", i+1)
			bad = true
		}
	}
	id, ok := e.Fun.(*ast.Ident)
	if !ok {
		if x := c.expr(e.Fun); !isBad(x) {
			c.errorf(e.At, "only functions can be called, found '%s'", x.Type())
		}
		return c.bad(e)
	}
	e.Name, e.Fun = id.Name, nil
	switch o := c.lookup(id.Name).(type) {
	case *funcSet:
		if bad {
			return c.badCall(e, o)
		}
		return c.userCall(e, o)
	case nil:
	case *typedef:
		c.errorf(id.At, "'%s' is a type, not a function", id.Name)
		return c.bad(e)
	case *ast.Var:
		if o.Type != nil {
			c.errorNote(id.At, o.At, "declared here", "'%s' is a variable of type '%s', not a function", id.Name, o.Type)
		}
		return c.bad(e)
	default:
		c.errorf(id.At, "'%s' is not a function", id.Name)
		return c.bad(e)
	}
	if e.To != nil && !c.typeBuiltin(e) {
		return c.bad(e)
	}
	if !bad && strings.HasPrefix(e.Name, "__builtin_") {
		if x := c.compilerBuiltin(e); x != nil {
			return x
		}
	}
	return c.builtinCall(e, bad)
}

// badCall gives a call with an invalid argument the type it would have with any argument,
// so that the uses of its result are still checked.
func (c *checker) badCall(e *ast.Call, set *funcSet) ast.Expr {
	if len(set.fns) == 1 && !types.IsVoid(set.fns[0].Type.Result) {
		e.Typ = set.fns[0].Type.Result
		e.Func = set.fns[0]
		return e
	}
	return c.bad(e)
}

func (c *checker) builtinCall(e *ast.Call, bad bool) ast.Expr {
	args := make([]types.Type, len(e.Args))
	if !bad {
		for i, a := range e.Args {
			args[i] = a.Type()
		}
	} else {
		// With invalid arguments, only the name could be checked; looking up other
		// argument types would give a misleading error.
		return c.bad(e)
	}
	var result types.Type
	var params []types.Type
	var err error
	if c.builtins != nil {
		result, params, e.Handle, err = c.builtins.Lookup(e.Name, args)
	}
	if err != nil {
		c.errorf(e.At, "no overload of '%s' takes (%s): %s", e.Name, typeList(args), err)
		return c.bad(e)
	}
	if result == nil {
		if !c.unknown[e.Name] {
			var names []string
			if c.builtins != nil {
				names = c.builtins.Names()
			}
			c.errorf(e.At, "undeclared function '%s'%s", e.Name, c.suggest(e.Name, names...))
			if c.unknown != nil {
				c.unknown[e.Name] = true
			}
		}
		return c.bad(e)
	}
	if !c.opts.GenericPointers && slices.ContainsFunc(params, isGeneric) {
		c.errorf(e.At, "'%s' needs OpenCL C 2.0 or later (-cl-std), for generic pointers", e.Name)
		return c.bad(e)
	}
	if len(params) > len(args) {
		c.errorf(e.At, "'%s' takes %d arguments, given %d", e.Name, len(params), len(args))
		return c.bad(e)
	}
	e.Typ = result
	c.convertArgs(e, params)
	return e
}

func typeList(ts []types.Type) string {
	names := make([]string, len(ts))
	for i, t := range ts {
		names[i] = t.String()
	}
	return strings.Join(names, ", ")
}

// convertArgs converts the arguments to params and promotes variadic arguments.
func (c *checker) convertArgs(e *ast.Call, params []types.Type) {
	for i, a := range e.Args {
		if i < len(params) {
			e.Args[i] = c.assignConv(a, params[i], fmt.Sprintf("argument %d of '%s'", i+1, e.Name))
		} else {
			e.Args[i] = c.promote(a)
		}
	}
}

// userCall types a call of a name for which the program declares functions.
func (c *checker) userCall(e *ast.Call, set *funcSet) ast.Expr {
	fn := set.fns[0]
	if !c.hidesBuiltins(set) {
		best := c.overload(e, set)
		switch {
		case best == nil:
			return c.bad(e)
		case best == lenientBuiltin:
			return c.builtinCall(e, false)
		case best.fn == nil:
			e.Typ, e.Handle = best.Result, best.Handle
			c.convertArgs(e, best.Params)
			return e
		}
		fn = best.fn
	}
	if want, got := len(fn.Type.Params), len(e.Args); got < want || got > want && !fn.Type.Variadic {
		few := "few"
		if got > want {
			few = "many"
		}
		c.errorNote(e.At, fn.At, "declared here", "too %s arguments to '%s': it takes %d, given %d", few, fn.Name, want, got)
		e.Typ = fn.Type.Result
		return e
	}
	e.Func, e.Typ = fn, fn.Type.Result
	c.convertArgs(e, fn.Type.Params)
	if c.unevaluated > 0 {
		return e
	}
	if fn.Builtin != nil {
		c.file.PrototypeCalls = append(c.file.PrototypeCalls, e)
	}
	if c.fn == nil {
		c.errorf(e.At, "a function cannot be called outside of functions")
	} else if !c.calls[fn] {
		c.calls[fn] = true
		c.fn.Calls = append(c.fn.Calls, fn)
		c.fn.FirstCall = append(c.fn.FirstCall, e.At)
	}
	return e
}

// hidesBuiltins reports whether set is a single function that is not overloadable, which
// hides built-in functions as in C. A prototype that declares a built-in function hides
// none of its overloads.
func (c *checker) hidesBuiltins(set *funcSet) bool {
	fn := set.fns[0]
	if len(set.fns) > 1 || fn.Overloadable {
		return false
	}
	return fn.Builtin == nil || c.defined[fn.Name]
}
