package builtins

// hyperbolic: §6.12.2, hyperbolic functions and their inverses.
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
