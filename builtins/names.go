package builtins

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/simtc/simtc/clc/types"
	"github.com/simtc/simtc/internal/diag"
)

// specials resolve the rows whose overloads cannot be described by a signature.
var specials = map[string]func(*Func, []types.Type) (*Call, error){
	"select":   resolveSelect,
	"shuffle":  resolveShuffle,
	"shuffle2": resolveShuffle,
	"atomic":   resolveAtomic,
	"image":    resolveImage,
	"async":    resolveAsync,
	"group":    resolveGroup,
	"block":    resolveBlock,
	"printf":   resolvePrintf,

	"dot_product": resolveDotProduct,
	"overflow":    resolveOverflow,
	"async_lines": resolveAsyncLines,
	"memory":      resolveMemoryFunction,
	"space":       resolveSpace,
}

// The rows of functions whose names contain types.
var (
	convertRow    = Func{Name: "convert_", Special: "convert"}
	asRow         = Func{Name: "as_", Special: "as"}
	vloadRow      = Func{Name: "vload", Special: "vload"}
	vstoreRow     = Func{Name: "vstore", Special: "vstore"}
	vloadHalfRow  = Func{Name: "vload_half", Special: "vload_half"}
	vloadaHalfRow = Func{Name: "vloada_half", Special: "vloada_half"}
	vstoreHalf    = Func{Name: "vstore_half", Special: "vstore_half"}
	vstoreaHalf   = Func{Name: "vstorea_half", Special: "vstorea_half"}
)

var roundSuffix = map[string]Round{"_rte": ToEven, "_rtz": ToZero, "_rtp": ToPositive, "_rtn": ToNegative}

// cutRound splits a rounding suffix from name.
func cutRound(name string) (string, Round) {
	if len(name) > 4 {
		if r, ok := roundSuffix[name[len(name)-4:]]; ok {
			return name[:len(name)-4], r
		}
	}
	return name, DefaultRound
}

// resolveName resolves convert_T, as_T, vloadn and similar names; it returns only nil for
// other names.
func resolveName(name string, args []types.Type) (*Call, error) {
	switch {
	case strings.HasPrefix(name, "convert_"):
		return resolveConvert(name, args)
	case strings.HasPrefix(name, "as_"):
		return resolveAs(name, args)
	case strings.HasPrefix(name, "vload"), strings.HasPrefix(name, "vstore"):
		return resolveMemory(name, args)
	}
	return nil, nil
}

// valueType returns the scalar or vector type (not bool or void) of that name.
func valueType(name string) (types.Type, *types.Scalar, int) {
	t := types.ByName(name)
	s := types.ElemScalar(t)
	if s == nil || s == types.Void || s == types.Bool || t.String() != name {
		return nil, nil, 0
	}
	return t, s, types.NumElems(t)
}

func oneValue(args []types.Type) (*types.Scalar, int, error) {
	if len(args) != 1 {
		return nil, 0, fmt.Errorf("it takes 1 argument")
	}
	s := types.ElemScalar(args[0])
	if s == nil || s == types.Void {
		return nil, 0, fmt.Errorf("the argument is not a number")
	}
	return s, types.NumElems(args[0]), nil
}

func resolveConvert(name string, args []types.Type) (*Call, error) {
	rest, round := cutRound(strings.TrimPrefix(name, "convert_"))
	rest, sat := strings.CutSuffix(rest, "_sat")
	t, s, n := valueType(rest)
	if t == nil || sat && s.IsFloat() {
		return nil, nil
	}
	_, have, err := oneValue(args)
	if err != nil {
		return nil, err
	}
	if have != n {
		return nil, fmt.Errorf("it takes %s", plural(n))
	}
	return &Call{Func: &convertRow, Elem: s, N: n, Result: t, Params: args, Round: round, Sat: sat}, nil
}

func plural(n int) string {
	if n == 1 {
		return "a scalar"
	}
	return fmt.Sprintf("a vector of %d components", n)
}

func resolveAs(name string, args []types.Type) (*Call, error) {
	t, s, n := valueType(strings.TrimPrefix(name, "as_"))
	if t == nil {
		return nil, nil
	}
	from, _, err := oneValue(args)
	if err != nil {
		return nil, err
	}
	if args[0].Size() != t.Size() || from == types.Bool {
		return nil, fmt.Errorf("it takes a type of %d bytes", t.Size())
	}
	return &Call{Func: &asRow, Elem: s, N: n, Result: t, Params: args}, nil
}

// width parses the number in vload<n> or vload_half<n>.
func width(s string) (int, bool) {
	if s == "" {
		return 1, true
	}
	n, err := strconv.Atoi(s)
	return n, err == nil && n > 1 && types.VectorOf(types.Float, n) != nil && strconv.Itoa(n) == s
}

func resolveMemory(name string, args []types.Type) (*Call, error) {
	base, round := cutRound(name)
	for _, row := range []*Func{&vloadHalfRow, &vloadaHalfRow, &vstoreHalf, &vstoreaHalf} {
		if rest, ok := strings.CutPrefix(base, row.Name); ok {
			n, ok := width(rest)
			store := row.Name[1] == 's'
			if !ok || !store && round != DefaultRound {
				return nil, nil
			}
			return resolveHalf(row, n, store, round, args)
		}
	}
	for _, row := range []*Func{&vloadRow, &vstoreRow} {
		if rest, ok := strings.CutPrefix(name, row.Name); ok {
			if n, ok := width(rest); ok && n > 1 {
				return resolveVector(row, n, row == &vstoreRow, args)
			}
		}
	}
	return nil, nil
}

// memoryArgs checks arguments (offset, pointer) or (data, offset, pointer).
func memoryArgs(store bool, args []types.Type) (data types.Type, ptr *types.Pointer, err error) {
	want := 2
	if store {
		want = 3
	}
	if len(args) != want {
		return nil, nil, fmt.Errorf("it takes %s", diag.Count(want, "argument"))
	}
	if store {
		data, args = args[0], args[1:]
	}
	ptr, ok := args[1].(*types.Pointer)
	if !ok {
		return nil, nil, fmt.Errorf("the last argument must be a pointer")
	}
	if !types.IsInteger(args[0]) {
		return nil, nil, fmt.Errorf("the offset must be an integer")
	}
	if store && (ptr.Space == types.Constant || ptr.Quals&types.Const != 0) {
		return nil, nil, fmt.Errorf("the pointer must not be to constant memory")
	}
	return data, ptr, nil
}

func resolveVector(row *Func, n int, store bool, args []types.Type) (*Call, error) {
	data, ptr, err := memoryArgs(store, args)
	if err != nil {
		return nil, err
	}
	s := types.ScalarType(ptr.Elem)
	if s == nil || s == types.Void || s == types.Bool {
		return nil, fmt.Errorf("the pointer must be to a scalar")
	}
	t := types.VectorOf(s, n)
	c := &Call{Func: row, Elem: s, N: n, Result: t, Params: []types.Type{types.SizeT, ptr}}
	if store {
		if data != t && !types.IsArithmetic(data) {
			return nil, fmt.Errorf("the data must be %s", t)
		}
		c.Result, c.Params = types.Void, []types.Type{t, types.SizeT, ptr}
	}
	return c, nil
}

func resolveHalf(row *Func, n int, store bool, round Round, args []types.Type) (*Call, error) {
	data, ptr, err := memoryArgs(store, args)
	if err != nil {
		return nil, err
	}
	if ptr.Elem != types.Half {
		return nil, fmt.Errorf("the pointer must be to half")
	}
	t := types.VectorOf(types.Float, n)
	c := &Call{Func: row, Elem: types.Float, N: n, Result: t, Params: []types.Type{types.SizeT, ptr}, Round: round}
	if store {
		if s := types.ElemScalar(data); types.NumElems(data) != n || s == nil || !s.IsFloat() && n > 1 {
			return nil, fmt.Errorf("the data must be %s", t)
		} else if s == types.Double {
			c.Elem, t = s, types.VectorOf(s, n)
		}
		c.Result, c.Params = types.Void, []types.Type{t, types.SizeT, ptr}
	}
	return c, nil
}

// resolveSelect resolves T(T,T,C), where C is an integer type with T's width and number
// of components. For a 32-bit scalar T, C may be any integer of up to 32 bits.
func resolveSelect(f *Func, args []types.Type) (*Call, error) {
	if len(args) != 3 {
		return nil, fmt.Errorf("it takes 3 arguments")
	}
	c := &Call{Func: &Func{Sig: "T(T,T)", Elems: all}, N: 1}
	if err := c.gentype([]string{"T", "T"}, args[:2]); err != nil {
		return nil, err
	}
	c.Func = f
	c.Result = c.vector(c.Elem)
	s := types.ElemScalar(args[2])
	if s == nil || !s.IsInteger() || types.NumElems(args[2]) != c.N || s.Size() != c.Elem.Size() && !(c.N == 1 && s.Size() < 4 && c.Elem.Size() == 4) {
		return nil, fmt.Errorf("the condition must be %s", c.typeOf('I'))
	}
	for i, a := range args[:2] {
		if types.IsVector(a) && types.NumElems(a) != c.N {
			return nil, fmt.Errorf("argument %d must be %s", i+1, c.Result)
		}
	}
	c.Params = []types.Type{c.Result, c.Result, args[2]}
	return c, nil
}

// resolveShuffle resolves shuffle(x, mask) and shuffle2(x, y, mask), where mask is
// unsigned and has components of the same width as x.
func resolveShuffle(f *Func, args []types.Type) (*Call, error) {
	want := 2
	if f.Name == "shuffle2" {
		want = 3
	}
	if len(args) != want {
		return nil, fmt.Errorf("it takes %d arguments", want)
	}
	x, ok1 := args[0].(*types.Vector)
	if !ok1 && want == 3 && types.IsArithmetic(args[0]) { // a scalar is converted to the vector type of the other operand
		x, ok1 = args[1].(*types.Vector)
	}
	mask, ok2 := args[want-1].(*types.Vector)
	if !ok1 || !ok2 || x.N == 3 || mask.N == 3 {
		return nil, fmt.Errorf("the arguments must be vectors of 2, 4, 8 or 16 components")
	}
	if want == 3 && args[1] != x && !types.IsArithmetic(args[1]) {
		return nil, fmt.Errorf("the first two arguments must be vectors of the same type")
	}
	if !mask.Elem.IsInteger() || mask.Elem.IsSigned() || mask.Elem.Size() != x.Elem.Size() {
		return nil, fmt.Errorf("the mask must have unsigned components of %d bits", x.Elem.Bits())
	}
	c := &Call{Func: f, Elem: x.Elem, N: mask.N, Result: types.VectorOf(x.Elem, mask.N)}
	for range want - 1 {
		c.Params = append(c.Params, x)
	}
	c.Params = append(c.Params, mask)
	return c, nil
}
