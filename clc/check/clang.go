package check

import (
	"math"
	"slices"
	"strings"

	"github.com/simtc/simtc/clc/ast"
	"github.com/simtc/simtc/clc/types"
	"github.com/simtc/simtc/internal/diag"
)

const clangPrefix = "__builtin_"

// alias maps a __builtin function of clang to a library function with fixed argument and
// result types.
type alias struct {
	name   string
	params []types.Type // nil: the types of the arguments
	result types.Type   // nil: the result type of the function
}

// mathNames lists the functions of C's mathematical library that take 1, 2 or 3 numbers
// of one type. An equals sign is followed by the OpenCL name if that is different.
var mathNames = []string{
	"fabs sqrt cbrt sin cos tan asin acos atan sinh cosh tanh asinh acosh atanh exp exp2 exp10 expm1 log log2 log10 " +
		"log1p logb ceil floor trunc rint nearbyint=rint roundeven=rint round erf erfc tgamma lgamma canonicalize=__canonicalize",
	"pow fmin fmax fmod fdim hypot atan2 copysign remainder nextafter",
	"fma",
}

// aliases maps names without the prefix __builtin_.
var aliases = func() map[string]alias {
	out := map[string]alias{}
	each := func(pairs string, add func(clang, name string)) {
		for _, pair := range strings.Fields(pairs) {
			clang, name, renamed := strings.Cut(pair, "=")
			if !renamed {
				name = clang
			}
			add(clang, name)
		}
	}
	for suffix, t := range map[string]*types.Scalar{"": types.Int, "l": types.Long, "ll": types.Long} {
		each("clz ctz popcount parity=__parity", func(clang, name string) {
			out[clang+suffix] = alias{name, []types.Type{t.Unsigned()}, types.Int}
		})
		each("ffs=__ffs clrsb=__clrsb", func(clang, name string) { out[clang+suffix] = alias{name, []types.Type{t}, types.Int} })
	}
	for name, t := range map[string]types.Type{"abs": types.Int, "labs": types.Long, "llabs": types.Long} {
		out[name] = alias{"__abs", []types.Type{t}, nil}
	}
	out["clzs"] = alias{"clz", []types.Type{types.UShort}, types.Int}
	out["ctzs"] = alias{"ctz", []types.Type{types.UShort}, types.Int}
	for bits, t := range map[string]types.Type{"8": types.UChar, "16": types.UShort, "32": types.UInt, "64": types.ULong} {
		out["bitreverse"+bits] = alias{"__bitreverse", []types.Type{t}, nil}
		out["rotateleft"+bits] = alias{"rotate", []types.Type{t, t}, nil}
		out["rotateright"+bits] = alias{"__rotr", []types.Type{t, t}, nil}
	}
	for suffix, t := range map[string]types.Type{"": types.Double, "f": types.Float, "f16": types.Half} {
		for i, names := range mathNames {
			each(names, func(clang, name string) {
				out[clang+suffix] = alias{name, slices.Repeat([]types.Type{t}, i+1), nil}
			})
		}
		out["ldexp"+suffix] = alias{"ldexp", []types.Type{t, types.Int}, nil}
		out["powi"+suffix] = alias{"pown", []types.Type{t, types.Int}, nil}
		out["ilogb"+suffix] = alias{"ilogb", []types.Type{t}, nil}
	}
	each("isnan isinf isfinite isnormal signbit signbitf=signbit isgreater isgreaterequal isless islessequal islessgreater isunordered",
		func(clang, name string) { out[clang] = alias{name, nil, nil} })
	for _, name := range []string{"memcpy", "memmove", "memset"} {
		out[name] = alias{"__" + name, nil, nil}
	}
	for _, op := range []string{"add", "sub", "mul"} {
		out[op+"_overflow"] = alias{"__" + op + "_overflow", nil, nil}
	}
	return out
}()

// checkedTypes gives the type of __builtin_sadd_overflow and similar functions, by the
// letters around the operation's name.
var checkedTypes = map[string]*types.Scalar{
	"s": types.Int, "sl": types.Long, "sll": types.Long, "u": types.UInt, "ul": types.ULong, "ull": types.ULong,
}

// elementwise gives the library functions for __builtin_elementwise_NAME: for signed
// integers, unsigned integers and floating types; "" is none.
var elementwise = map[string][3]string{
	"abs": {"__abs", "", "fabs"}, "max": {"max", "max", "fmax"}, "min": {"min", "min", "fmin"},
	"add_sat": {"add_sat", "add_sat", ""}, "sub_sat": {"sub_sat", "sub_sat", ""},
	"popcount": {"popcount", "popcount", ""}, "bitreverse": {"__bitreverse", "__bitreverse", ""},
	"canonicalize": {2: "__canonicalize"}, "roundeven": {2: "rint"}, "nearbyint": {2: "rint"},
	"ceil": {2: "ceil"}, "floor": {2: "floor"}, "trunc": {2: "trunc"}, "rint": {2: "rint"}, "round": {2: "round"},
	"cos": {2: "cos"}, "sin": {2: "sin"}, "tan": {2: "tan"}, "exp": {2: "exp"}, "exp2": {2: "exp2"}, "log": {2: "log"},
	"log2": {2: "log2"}, "log10": {2: "log10"}, "sqrt": {2: "sqrt"}, "pow": {2: "pow"}, "copysign": {2: "copysign"}, "fma": {2: "fma"},
}

// reductions lists the functions __builtin_reduce_NAME, and whether they accept floating
// types.
var reductions = map[string]bool{
	"add": false, "mul": false, "and": false, "or": false, "xor": false, "min": true, "max": true,
}

// compilerBuiltin types calls of the __builtin functions of clang that kernels use. It
// returns nil for other names. The arguments are rvalues.
func (c *checker) compilerBuiltin(e *ast.Call) ast.Expr {
	name := strings.TrimPrefix(e.Name, clangPrefix)
	if f, ok := aliases[name]; ok {
		return c.aliasCall(e, f)
	}
	if t, ok := byteSwaps[e.Name]; ok {
		if !c.takes(e, 1) {
			return c.bad(e)
		}
		x := c.assignConv(e.Args[0], t, "argument 1 of '"+e.Name+"'")
		if isBad(x) {
			return x
		}
		return c.byteSwap(e, x)
	}
	if v, ok := floatConstants[name]; ok {
		return c.floatConstant(e, v)
	}
	if op, ok := strings.CutSuffix(name, "_overflow"); ok {
		for _, operation := range []string{"add", "sub", "mul"} {
			if sign, length, ok := strings.Cut(op, operation); ok && checkedTypes[sign+length] != nil {
				return c.checkedCall(e, operation, checkedTypes[sign+length])
			}
		}
	}
	if rest, ok := strings.CutPrefix(name, "elementwise_"); ok {
		if f, ok := elementwise[rest]; ok {
			return c.elementwiseCall(e, f)
		}
	}
	if rest, ok := strings.CutPrefix(name, "reduce_"); ok {
		if floats, ok := reductions[rest]; ok {
			if !c.takes(e, 1) {
				return c.bad(e)
			}
			v, ok := e.Args[0].Type().(*types.Vector)
			if !ok || v.Elem.IsFloat() && !floats {
				c.errorf(e.At, "'%s' takes a vector of %s, not '%s'", e.Name, numbers(floats), e.Args[0].Type())
				return c.bad(e)
			}
			return c.rename(e, "__reduce_"+rest)
		}
	}
	switch name {
	case "expect", "expect_with_probability":
		if len(e.Args) != 3 && !c.takes(e, 2) {
			return c.bad(e)
		}
		x := c.assignConv(e.Args[0], types.Long, "argument 1 of '"+e.Name+"'")
		if v, ok := Eval(e.Args[1]); ok && !isBad(x) && certain(e.Args[2:]) {
			kind := ast.MostlyNot
			if v.Int == 0 {
				kind = ast.MostlyZero
			}
			return cast(x, kind, types.Long)
		}
		return x
	case "unpredictable":
		if !c.takes(e, 1) {
			return c.bad(e)
		}
		return c.assignConv(e.Args[0], types.Long, "argument 1 of '"+e.Name+"'")
	case "assume_aligned":
		return c.assumeAligned(e)
	case "choose_expr":
		if !c.takes(e, 3) {
			return c.bad(e)
		}
		v, ok := EvalInt(e.Args[0])
		switch {
		case !ok:
			c.errorf(e.Args[0].Pos(), "argument 1 of '%s' must be an integer constant", e.Name)
			return c.bad(e)
		case v != 0:
			return e.Args[1]
		}
		return e.Args[2]
	case "nontemporal_load", "nontemporal_store":
		return c.nontemporal(e)
	case "shufflevector":
		return c.shuffleVector(e)
	case "assume", "unreachable", "trap", "debugtrap", "prefetch":
		return cast(newInt(e, types.Int, 0, "0"), ast.ToVoid, types.Void)
	case "constant_p":
		if !c.takes(e, 1) {
			return c.bad(e)
		}
		known := int64(0)
		if _, ok := Eval(e.Args[0]); ok {
			known = 1
		}
		return newInt(e, types.Int, known, "")
	}
	return nil
}

// takes reports whether e has n arguments, and adds an error if not.
func (c *checker) takes(e *ast.Call, n int) bool {
	if len(e.Args) != n {
		c.errorf(e.At, "'%s' takes %s, given %d", e.Name, diag.Count(n, "argument"), len(e.Args))
	}
	return len(e.Args) == n
}

// rename makes e a call of the library function name. Messages still name the function
// that the program calls.
func (c *checker) rename(e *ast.Call, name string) ast.Expr {
	args := make([]types.Type, len(e.Args))
	for i, a := range e.Args {
		args[i] = a.Type()
	}
	if c.builtins == nil {
		return c.builtinCall(e, false)
	}
	result, params, handle, err := c.builtins.Lookup(name, args)
	if err != nil {
		c.errorf(e.At, "no overload of '%s' takes (%s): %s", e.Name, typeList(args), err)
		return c.bad(e)
	}
	if result == nil {
		return c.builtinCall(e, false)
	}
	e.Typ, e.Handle = result, handle
	c.convertArgs(e, params)
	return e
}

func (c *checker) aliasCall(e *ast.Call, f alias) ast.Expr {
	if f.params != nil {
		if !c.takes(e, len(f.params)) {
			return c.bad(e)
		}
		c.convertArgs(e, f.params)
		if slices.ContainsFunc(e.Args, isBad) {
			return c.bad(e)
		}
	}
	y := c.rename(e, f.name)
	if f.result == nil || isBad(y) {
		return y
	}
	return arith(y, f.result)
}

// checkedCall types __builtin_sadd_overflow and similar functions: the operands are
// converted to type t, and the result has type t.
func (c *checker) checkedCall(e *ast.Call, operation string, t *types.Scalar) ast.Expr {
	if !c.takes(e, 3) {
		return c.bad(e)
	}
	for i := range 2 {
		if e.Args[i] = c.assignConv(e.Args[i], t, "an argument of '"+e.Name+"'"); isBad(e.Args[i]) {
			return c.bad(e)
		}
	}
	if p, ok := e.Args[2].Type().(*types.Pointer); !ok || p.Elem != t {
		c.errorf(e.Args[2].Pos(), "argument 3 of '%s' must be a pointer to %s, not '%s'", e.Name, t, e.Args[2].Type())
		return c.bad(e)
	}
	return c.rename(e, "__"+operation+"_overflow")
}

// elementwiseCall types the call of a function whose arguments and result have one type;
// small integers are promoted.
func (c *checker) elementwiseCall(e *ast.Call, names [3]string) ast.Expr {
	if len(e.Args) == 0 {
		c.errorf(e.At, "'%s' takes arguments", e.Name)
		return c.bad(e)
	}
	for i := range e.Args {
		e.Args[i] = c.promote(e.Args[i])
	}
	t := e.Args[0].Type()
	s := types.ElemScalar(t)
	if s == nil {
		c.errorf(e.Args[0].Pos(), "'%s' takes numbers and vectors, not '%s'", e.Name, t)
		return c.bad(e)
	}
	for _, x := range e.Args[1:] {
		if !types.Identical(x.Type(), t) {
			c.errorf(x.Pos(), "the arguments of '%s' have different types, '%s' and '%s'", e.Name, t, x.Type())
			return c.bad(e)
		}
	}
	name := names[1]
	switch {
	case s.IsFloat():
		name = names[2]
	case s.IsSigned():
		name = names[0]
	}
	if name == "" {
		c.errorf(e.At, "'%s' does not work on '%s'", e.Name, t)
		return c.bad(e)
	}
	return c.rename(e, name)
}

func numbers(floats bool) string {
	if floats {
		return "numbers"
	}
	return "integers"
}

// floatConstants lists the functions whose results are constants.
var floatConstants = map[string]struct {
	value float64
	typ   *types.Scalar
	text  bool // takes one argument, a string
}{
	"inf": {math.Inf(1), types.Double, false}, "inff": {math.Inf(1), types.Float, false}, "inff16": {math.Inf(1), types.Half, false},
	"huge_val": {math.Inf(1), types.Double, false}, "huge_valf": {math.Inf(1), types.Float, false},
	"huge_valf16": {math.Inf(1), types.Half, false},
	"nan":         {math.NaN(), types.Double, true}, "nanf": {math.NaN(), types.Float, true}, "nanf16": {math.NaN(), types.Half, true},
}

func (c *checker) floatConstant(e *ast.Call, v struct {
	value float64
	typ   *types.Scalar
	text  bool
}) ast.Expr {
	want := 0
	if v.text {
		want = 1
	}
	if !c.takes(e, want) {
		return c.bad(e)
	}
	n := &ast.FloatLit{Value: v.value, Text: e.Name}
	n.At, n.Typ = e.At, v.typ
	return n
}

// assumeAligned types __builtin_assume_aligned(p, alignment[, offset]), whose value is p.
// The alignment is not used.
func (c *checker) assumeAligned(e *ast.Call) ast.Expr {
	if len(e.Args) != 2 && len(e.Args) != 3 {
		c.errorf(e.At, "'%s' takes 2 or 3 arguments, given %d", e.Name, len(e.Args))
		return c.bad(e)
	}
	p := e.Args[0]
	if !types.IsPointer(p.Type()) {
		c.errorf(p.Pos(), "argument 1 of '%s' must be a pointer, not '%s'", e.Name, p.Type())
		return c.bad(e)
	}
	if n, ok := EvalInt(e.Args[1]); !ok || n <= 0 || n&(n-1) != 0 {
		c.errorf(e.Args[1].Pos(), "the alignment of '%s' must be a constant power of two", e.Name)
		return c.bad(e)
	}
	return p
}

// nontemporal types __builtin_nontemporal_load(p) and _store(x, p) as *p and *p = x.
func (c *checker) nontemporal(e *ast.Call) ast.Expr {
	want := 1
	if e.Name == clangPrefix+"nontemporal_store" {
		want = 2
	}
	if !c.takes(e, want) {
		return c.bad(e)
	}
	p := e.Args[want-1]
	ptr, ok := p.Type().(*types.Pointer)
	if !ok || types.ElemScalar(ptr.Elem) == nil || types.IsVoid(ptr.Elem) {
		c.errorf(p.Pos(), "'%s' needs a pointer to a number or vector, not '%s'", e.Name, p.Type())
		return c.bad(e)
	}
	at := &ast.Unary{Op: ast.OpDeref, X: typed{p}}
	at.At = e.At
	if want == 1 {
		return c.rvalue(c.expr(at))
	}
	s := &ast.Assign{X: at, Y: typed{e.Args[0]}}
	s.At = e.At
	return c.expr(s)
}
