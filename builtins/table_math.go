package builtins

import "github.com/simtc/simtc/clc/types"

const doubles set = 1 << types.KindDouble

// hyperbolic lists the hyperbolic functions and their inverses (OpenCL C 1.2 §6.12.2).
var hyperbolic = []Func{
	{Name: "__expm1_tail", Sig: "T(T)", Elems: floats, Body: "__expm1_tail"},
	{Name: "__ln2_rest", Sig: "T(T,T)", Elems: floats, Body: "__ln2_rest"},
	{Name: "__ln2_count", Sig: "T(T)", Elems: floats, Body: "__ln2_count"},
	{Name: "__log_sum", Sig: "T(T,T)", Elems: floats, Body: "__log_sum"},
	{Name: "acosh", Sig: "T(T)", Elems: floats, Body: "acosh"},
	{Name: "asinh", Sig: "T(T)", Elems: floats, Body: "asinh"},
	{Name: "atanh", Sig: "T(T)", Elems: floats, Body: "atanh"},
	{Name: "cosh", Sig: "T(T)", Elems: floats, Body: "cosh"},
	{Name: "sinh", Sig: "T(T)", Elems: floats, Body: "sinh"},
	{Name: "tanh", Sig: "T(T)", Elems: floats, Body: "tanh"},
}

// gamma lists the error functions and gamma functions (OpenCL C 1.2 §6.12.2).
var gamma = []Func{
	{Name: "__erfc_positive", Sig: "T(T)", Elems: floats, Body: "__erfc_positive"},
	{Name: "__erf_small", Sig: "T(T)", Elems: floats, Body: "__erf_small"},
	{Name: "__sin_pi_size", Sig: "T(T)", Elems: doubles, Body: "__sin_pi_size"},
	{Name: "__stirling", Sig: "T(T)", Elems: doubles, Body: "__stirling"},
	{Name: "__tgamma", Sig: "T(T)", Elems: doubles, Body: "__tgamma"},
	{Name: "__lgamma", Sig: "T(T)", Elems: doubles, Body: "__lgamma"},
	{Name: "erf", Sig: "T(T)", Elems: floats, Body: "erf"},
	{Name: "erfc", Sig: "T(T)", Elems: floats, Body: "erfc"},
	{Name: "tgamma", Sig: "T(T)", Elems: floats, Body: "tgamma"},
	{Name: "lgamma", Sig: "T(T)", Elems: floats, Body: "lgamma"},
	{Name: "lgamma_r", Sig: "T(T,Q)", Elems: floats, Body: "lgamma", Out: "lgamma_sign"},
}
