package check

import (
	"fmt"
	"strings"

	"github.com/simtc/simtc/clc/ast"
	"github.com/simtc/simtc/clc/types"
	"github.com/simtc/simtc/internal/diag"
)

// call types a function call. A function of the program hides built-in ones,
// except that overloads it adds to a built-in name leave those reachable.
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

// badCall gives a call with a broken argument the type it has in any case, so
// that what uses the result is still checked.
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
		// Of a call with broken arguments only the name could be checked, and a
		// lookup with other types would say little.
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

// convertArgs converts the arguments to params and promotes the rest.
func (c *checker) convertArgs(e *ast.Call, params []types.Type) {
	for i, a := range e.Args {
		if i < len(params) {
			e.Args[i] = c.assignConv(a, params[i], fmt.Sprintf("argument %d of '%s'", i+1, e.Name))
		} else {
			e.Args[i] = c.promote(a)
		}
	}
}

func (c *checker) userCall(e *ast.Call, set *funcSet) ast.Expr {
	fn := set.fns[0]
	if fn.Overloadable || len(set.fns) > 1 {
		if fn = c.overload(e, set); fn == nil {
			return c.bad(e)
		}
		if fn == builtinWins {
			return c.builtinCall(e, false)
		}
	}
	if want, got := len(fn.Type.Params), len(e.Args); got != want {
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
	if c.fn == nil {
		c.errorf(e.At, "a function cannot be called outside of functions")
	} else if !c.calls[fn] {
		c.calls[fn] = true
		c.fn.Calls = append(c.fn.Calls, fn)
		c.fn.FirstCall = append(c.fn.FirstCall, e.At)
	}
	return e
}

// builtinWins stands for a built-in function that takes the arguments when no
// overload of the program does.
var builtinWins = &ast.Func{}

// overload picks the overload whose conversions are nowhere worse and somewhere
// better than those of every other one that fits; nil after an error.
func (c *checker) overload(e *ast.Call, set *funcSet) *ast.Func {
	var best []*ast.Func
	var bestRank []int
	for _, fn := range set.fns {
		rank := c.ranks(e.Args, fn.Type.Params)
		if rank == nil {
			continue
		}
		if best == nil {
			best, bestRank = []*ast.Func{fn}, rank
			continue
		}
		switch better, worse := compareRanks(rank, bestRank); {
		case better && !worse:
			best, bestRank = []*ast.Func{fn}, rank
		case worse && !better:
		default:
			best = append(best, fn)
		}
	}
	if len(best) == 1 {
		return best[0]
	}
	args := make([]types.Type, len(e.Args))
	for i, a := range e.Args {
		args[i] = a.Type()
	}
	if len(best) == 0 && c.builtins != nil {
		if result, _, _, err := c.builtins.Lookup(e.Name, args); result != nil && err == nil {
			return builtinWins
		}
	}
	msg, list := "no overload of '%s' takes (%s)", set.fns
	if len(best) > 1 {
		msg, list = "several overloads of '%s' take (%s) equally well", best
	}
	err := diag.Errorf(e.At, msg, e.Name, typeList(args))
	for _, fn := range list {
		err.Notes = append(err.Notes, diag.Note{Pos: fn.At, Msg: "candidate: " + types.Declare(fn.Name, fn.Type, 0)})
	}
	c.errs.Add(err)
	return nil
}

// ranks rates the conversion of each argument: 0 none, 1 promotion, 2 other,
// 3 between scalars and vectors, 4 between pointers to different types;
// nil if one is not possible or the counts differ.
func (c *checker) ranks(args []ast.Expr, params []types.Type) []int {
	if len(args) != len(params) {
		return nil
	}
	out := make([]int, len(args))
	for i, a := range args {
		switch {
		case types.Identical(a.Type(), params[i]):
		case types.IsArithmetic(a.Type()) && promoted(a.Type()) == params[i],
			a.Type() == types.Float && params[i] == types.Double,
			a.Type() == types.Half && params[i] == types.Float,
			qualified(a.Type(), params[i]):
			out[i] = 1
		default:
			if y, _ := c.tryAssign(a, params[i]); y == nil {
				return nil
			}
			out[i] = 2
			if types.IsVector(params[i]) != types.IsVector(a.Type()) {
				out[i] = 3
			} else if p, ok := params[i].(*types.Pointer); ok && otherPointee(p, a.Type()) {
				out[i] = 4
			}
		}
	}
	return out
}

// otherPointee reports whether from is a pointer to another type than to is.
func otherPointee(to *types.Pointer, from types.Type) bool {
	p, ok := from.(*types.Pointer)
	return ok && !types.IsVoid(to.Elem) && !types.IsVoid(p.Elem) && !similar(to.Elem, p.Elem)
}

// qualified reports whether b is pointer a but for added qualifiers.
func qualified(a, b types.Type) bool {
	p, ok1 := a.(*types.Pointer)
	q, ok2 := b.(*types.Pointer)
	return ok1 && ok2 && p.Space == q.Space && types.Identical(p.Elem, q.Elem) && p.Quals&^q.Quals == 0
}

func compareRanks(a, b []int) (better, worse bool) {
	for i := range a {
		better = better || a[i] < b[i]
		worse = worse || a[i] > b[i]
	}
	return better, worse
}
