package builtins

import (
	"fmt"

	"github.com/simtc/simtc/clc/types"
)

// compiler lists the functions that implement clang's __builtin functions (mapped in
// package check), with bodies in compiler.cl.
var compiler = []Func{
	{Name: "__bitreverse", Sig: "T(T)", Elems: ints, Body: "__bitreverse"},
	{Name: "__rotr", Sig: "T(T,T)", Elems: ints, Body: "__rotr"},
	{Name: "__parity", Sig: "i(T)", Elems: ints, Body: "__parity"},
	{Name: "__ffs", Sig: "i(T)", Elems: ints, Body: "__ffs"},
	{Name: "__clrsb", Sig: "i(T)", Elems: ints, Body: "__clrsb"},
	{Name: "__abs", Sig: "T(T)", Elems: ints, Body: "__abs"},
	{Name: "__canonicalize", Sig: "T(T)", Elems: floats, Body: "__canonicalize"},
	{Name: "__reduce_add", Sig: "S(T)", Elems: ints, Widths: vectorWidths, Body: "__reduce_add", Whole: true},
	{Name: "__reduce_mul", Sig: "S(T)", Elems: ints, Widths: vectorWidths, Body: "__reduce_mul", Whole: true},
	{Name: "__reduce_and", Sig: "S(T)", Elems: ints, Widths: vectorWidths, Body: "__reduce_and", Whole: true},
	{Name: "__reduce_or", Sig: "S(T)", Elems: ints, Widths: vectorWidths, Body: "__reduce_or", Whole: true},
	{Name: "__reduce_xor", Sig: "S(T)", Elems: ints, Widths: vectorWidths, Body: "__reduce_xor", Whole: true},
	{Name: "__reduce_min", Sig: "S(T)", Elems: all, Widths: vectorWidths, Body: "__reduce_min", Whole: true},
	{Name: "__reduce_max", Sig: "S(T)", Elems: all, Widths: vectorWidths, Body: "__reduce_max", Whole: true},
	{Name: "__add_overflow", Special: "overflow", Body: "__add_overflow"},
	{Name: "__sub_overflow", Special: "overflow", Body: "__sub_overflow"},
	{Name: "__mul_overflow", Special: "overflow", Body: "__mul_overflow"},
	{Name: "__memcpy", Special: "memory", Body: "copy_bytes"},
	{Name: "__memmove", Special: "memory", Body: "move_bytes"},
	{Name: "__memset", Special: "memory", Body: "set_bytes"},
}

var vectorWidths = types.VectorSizes[:]

// resolveOverflow resolves (x, y, pointer to the result) for any integer types (clang,
// "Checked Arithmetic Builtins"). Elem is the type of the stored result.
func resolveOverflow(f *Func, args []types.Type) (*Call, error) {
	if len(args) != 3 {
		return nil, fmt.Errorf("it takes 3 arguments")
	}
	for i, a := range args[:2] {
		if !types.IsInteger(a) {
			return nil, fmt.Errorf("argument %d must be an integer", i+1)
		}
	}
	p, ok := args[2].(*types.Pointer)
	if !ok || !types.IsInteger(p.Elem) || p.Elem == types.Bool || p.Space == types.Constant || p.Quals&types.Const != 0 {
		return nil, fmt.Errorf("the last argument must be a pointer to an integer that is not const")
	}
	return &Call{Func: f, N: 1, Elem: types.ScalarType(p.Elem), Params: args, Result: types.Bool}, nil
}

// resolveMemoryFunction resolves (to, from, bytes) or (to, value, bytes), for pointers of
// any type and address space (C99 §7.21). The result is the first argument.
func resolveMemoryFunction(f *Func, args []types.Type) (*Call, error) {
	if len(args) != 3 {
		return nil, fmt.Errorf("it takes 3 arguments")
	}
	to, ok := args[0].(*types.Pointer)
	if !ok || to.Space == types.Constant || to.Quals&types.Const != 0 {
		return nil, fmt.Errorf("the first argument must be a pointer to memory that is not constant")
	}
	c := &Call{Func: f, N: 1, Elem: types.UChar, Result: &types.Pointer{Elem: types.Void, Space: to.Space}}
	second := types.Type(types.Int)
	if f.Name != "__memset" {
		from, ok := args[1].(*types.Pointer)
		if !ok {
			return nil, fmt.Errorf("the second argument must be a pointer")
		}
		second = &types.Pointer{Elem: types.Void, Space: from.Space, Quals: types.Const}
	}
	c.Params = []types.Type{c.Result, second, types.SizeT}
	return c, nil
}
