package builtins

import (
	"fmt"

	"github.com/simtc/simtc/clc/types"
)

// compiler: functions that clang's __builtin functions are made of (package check names them), with
// bodies in compiler.cl.
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
}

var vectorWidths = types.VectorSizes[:]

// resolveOverflow: (x, y, pointer to the result) for any integer types (clang,
// "Checked Arithmetic Builtins"). Elem is the type of the result that is stored.
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
		return nil, fmt.Errorf("the last must be a pointer to an integer that is not const")
	}
	return &Call{Func: f, N: 1, Elem: types.ScalarType(p.Elem), Params: args, Result: types.Bool}, nil
}
