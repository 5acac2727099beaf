package builtins

import "github.com/simtc/simtc/alu"

func ops(signed, unsigned, float alu.Op) *[3]alu.Op { return &[3]alu.Op{signed, unsigned, float} }
func op(o alu.Op) *[3]alu.Op                        { return &[3]alu.Op{o, o, o} }

var tables = [][]Func{integer, common, geometric, math, exponential, trigonometric, native, inverse, hyperbolic, gamma, relational, special, atomics, images, groups, dotProducts, compiler}

// integer lists the functions of OpenCL C 1.2 §6.12.3.
var integer = []Func{
	{Name: "abs", Sig: "U(T)", Elems: ints, Ops: ops(alu.Abs, alu.Invalid, 0)},
	{Name: "abs_diff", Sig: "U(T,T)", Elems: ints, Body: "abs_diff"},
	{Name: "add_sat", Sig: "T(T,T)", Elems: ints, Ops: ops(alu.SAddSat, alu.UAddSat, 0)},
	{Name: "sub_sat", Sig: "T(T,T)", Elems: ints, Ops: ops(alu.SSubSat, alu.USubSat, 0)},
	{Name: "hadd", Sig: "T(T,T)", Elems: ints, Body: "hadd"},
	{Name: "rhadd", Sig: "T(T,T)", Elems: ints, Body: "rhadd"},
	{Name: "clz", Sig: "T(T)", Elems: ints, Ops: op(alu.Clz)},
	{Name: "ctz", Sig: "T(T)", Elems: ints, Body: "ctz"},
	{Name: "popcount", Sig: "T(T)", Elems: ints, Ops: op(alu.Popcount)},
	{Name: "mul_hi", Sig: "T(T,T)", Elems: ints, Ops: ops(alu.SMulHi, alu.UMulHi, 0)},
	{Name: "mad_hi", Sig: "T(T,T,T)", Elems: ints, Body: "mad_hi"},
	{Name: "mad_sat", Sig: "T(T,T,T)", Elems: ints, Body: "mad_sat"},
	{Name: "rotate", Sig: "T(T,T)", Elems: ints, Ops: op(alu.Rotl)},
	{Name: "mul24", Sig: "T(T,T)", Elems: words, Ops: op(alu.Mul)},
	{Name: "mad24", Sig: "T(T,T,T)", Elems: words, Body: "mad24"},
	{Name: "upsample", Sig: "W(T,U)", Elems: narrow, Special: "upsample"},
}

// common lists the functions of OpenCL C 1.2 §6.12.4, including those also defined for
// integers.
var common = []Func{
	{Name: "min", Sig: "T(T,t)", Elems: all, Ops: ops(alu.SMin, alu.UMin, alu.Invalid), Body: "min"},
	{Name: "max", Sig: "T(T,t)", Elems: all, Ops: ops(alu.SMax, alu.UMax, alu.Invalid), Body: "max"},
	{Name: "clamp", Sig: "T(T,t,t)", Elems: all, Body: "clamp"},
	{Name: "degrees", Sig: "T(T)", Elems: floats, Body: "degrees"},
	{Name: "radians", Sig: "T(T)", Elems: floats, Body: "radians"},
	{Name: "mix", Sig: "T(T,T,t)", Elems: floats, Body: "mix"},
	{Name: "step", Sig: "T(t,T)", Elems: floats, Body: "step"},
	{Name: "smoothstep", Sig: "T(t,t,T)", Elems: floats, Body: "smoothstep"},
	{Name: "sign", Sig: "T(T)", Elems: floats, Body: "sign"},
}

// geometric lists the functions of OpenCL C 1.2 §6.12.5.
var upTo4, spatial = []int{1, 2, 3, 4}, []int{3, 4}

var geometric = []Func{
	{Name: "dot", Sig: "S(T,T)", Elems: floats, Widths: upTo4, Body: "dot", Whole: true, Else: "__dot"},
	{Name: "cross", Sig: "T(T,T)", Elems: floats, Widths: spatial, Body: "cross", Whole: true},
	{Name: "length", Sig: "S(T)", Elems: floats, Widths: upTo4, Body: "length", Whole: true},
	{Name: "distance", Sig: "S(T,T)", Elems: floats, Widths: upTo4, Body: "distance", Whole: true},
	{Name: "normalize", Sig: "T(T)", Elems: floats, Widths: upTo4, Body: "normalize", Whole: true},
	{Name: "fast_length", Sig: "S(T)", Elems: floats, Widths: upTo4, Body: "fast_length", Whole: true},
	{Name: "fast_distance", Sig: "S(T,T)", Elems: floats, Widths: upTo4, Body: "fast_distance", Whole: true},
	{Name: "fast_normalize", Sig: "T(T)", Elems: floats, Widths: upTo4, Body: "normalize", Whole: true},
}

// math lists the functions of OpenCL C 1.2 §6.12.2 that need no series.
var math = []Func{
	{Name: "fabs", Sig: "T(T)", Elems: floats, Ops: op(alu.FAbs), Half: "fabs"},
	{Name: "fmin", Sig: "T(T,t)", Elems: floats, Ops: op(alu.FMin)},
	{Name: "fmax", Sig: "T(T,t)", Elems: floats, Ops: op(alu.FMax)},
	{Name: "fma", Sig: "T(T,T,T)", Elems: floats, Ops: op(alu.FMA), Half: "fma"},
	{Name: "mad", Sig: "T(T,T,T)", Elems: floats, Special: "mad"},
	{Name: "sqrt", Sig: "T(T)", Elems: floats, Ops: op(alu.FSqrt)},
	{Name: "native_sqrt", Sig: "T(T)", Elems: floats, Ops: op(alu.FSqrt)},
	{Name: "half_sqrt", Sig: "T(T)", Elems: floats, Ops: op(alu.FSqrt)},
	{Name: "rsqrt", Sig: "T(T)", Elems: floats, Body: "rsqrt"},
	{Name: "native_rsqrt", Sig: "T(T)", Elems: floats, Body: "rsqrt"},
	{Name: "half_rsqrt", Sig: "T(T)", Elems: floats, Body: "rsqrt"},
	{Name: "native_recip", Sig: "T(T)", Elems: floats, Body: "recip"},
	{Name: "half_recip", Sig: "T(T)", Elems: floats, Body: "recip"},
	{Name: "native_divide", Sig: "T(T,T)", Elems: floats, Ops: op(alu.FDiv)},
	{Name: "half_divide", Sig: "T(T,T)", Elems: floats, Ops: op(alu.FDiv)},
	{Name: "floor", Sig: "T(T)", Elems: floats, Ops: op(alu.FFloor)},
	{Name: "ceil", Sig: "T(T)", Elems: floats, Ops: op(alu.FCeil)},
	{Name: "trunc", Sig: "T(T)", Elems: floats, Ops: op(alu.FTrunc)},
	{Name: "rint", Sig: "T(T)", Elems: floats, Ops: op(alu.FRint)},
	{Name: "round", Sig: "T(T)", Elems: floats, Body: "round"},
	{Name: "copysign", Sig: "T(T,T)", Elems: floats, Body: "copysign", Half: "copysign"},
	{Name: "fdim", Sig: "T(T,T)", Elems: floats, Body: "fdim"},
	{Name: "fract", Sig: "T(T,P)", Elems: floats, Body: "fract", Half: "fract", Out: "fract_floor"},
	{Name: "modf", Sig: "T(T,P)", Elems: floats, Body: "modf", Out: "modf_trunc"},
	{Name: "frexp", Sig: "T(T,Q)", Elems: floats, Body: "frexp", Out: "frexp_exponent"},
	{Name: "__exponent", Sig: "i(T)", Elems: floats, Body: "__exponent"},
	{Name: "__less_multiple", Sig: "T(T,T)", Elems: floats, Body: "__less_multiple"},
	{Name: "maxmag", Sig: "T(T,T)", Elems: floats, Body: "maxmag"},
	{Name: "minmag", Sig: "T(T,T)", Elems: floats, Body: "minmag"},
	{Name: "nan", Sig: "T(U)", Elems: floats, Body: "nan", Half: "nan"},
	{Name: "nextafter", Sig: "T(T,T)", Elems: floats, Body: "nextafter", Half: "nextafter"},
	{Name: "ilogb", Sig: "N(T)", Elems: floats, Body: "ilogb"},
	{Name: "logb", Sig: "T(T)", Elems: floats, Body: "logb"},
	{Name: "ldexp", Sig: "T(T,n)", Elems: floats, Body: "ldexp"},
	{Name: "fmod", Sig: "T(T,T)", Elems: floats, Body: "fmod"},
	{Name: "remainder", Sig: "T(T,T)", Elems: floats, Body: "remainder"},
	{Name: "remquo", Sig: "T(T,T,Q)", Elems: floats, Body: "remainder", Out: "remquo_quotient"},
}

// inverse lists the inverse trigonometric functions and roots (OpenCL C 1.2 §6.12.2).
var inverse = []Func{
	{Name: "__asin_tail", Sig: "T(T)", Elems: floats, Body: "__asin_tail"},
	{Name: "__atan_tail", Sig: "T(T)", Elems: floats, Body: "__atan_tail"},
	{Name: "__octants", Sig: "T(T,T,T)", Elems: floats, Body: "__octants"},
	{Name: "__octants_pi", Sig: "T(T,T,T)", Elems: floats, Body: "__octants_pi"},
	{Name: "__atan2_tangent", Sig: "T(T,T)", Elems: floats, Body: "__atan2_tangent"},
	{Name: "__atan2_octant", Sig: "T(T,T)", Elems: floats, Body: "__atan2_octant"},
	{Name: "acos", Sig: "T(T)", Elems: floats, Body: "acos"},
	{Name: "acospi", Sig: "T(T)", Elems: floats, Body: "acospi"},
	{Name: "asin", Sig: "T(T)", Elems: floats, Body: "asin"},
	{Name: "asinpi", Sig: "T(T)", Elems: floats, Body: "asinpi"},
	{Name: "atan", Sig: "T(T)", Elems: floats, Body: "atan"},
	{Name: "atanpi", Sig: "T(T)", Elems: floats, Body: "atanpi"},
	{Name: "atan2", Sig: "T(T,T)", Elems: floats, Body: "atan2"},
	{Name: "atan2pi", Sig: "T(T,T)", Elems: floats, Body: "atan2pi"},
	{Name: "cbrt", Sig: "T(T)", Elems: floats, Body: "cbrt"},
	{Name: "hypot", Sig: "T(T,T)", Elems: floats, Body: "hypot"},
}

// exponential lists the functions with bodies in exponential.cl (OpenCL C 1.2 §6.12.2).
var exponential = []Func{
	{Name: "exp", Sig: "T(T)", Elems: floats, Body: "exp"},
	{Name: "exp2", Sig: "T(T)", Elems: floats, Body: "exp2"},
	{Name: "exp10", Sig: "T(T)", Elems: floats, Body: "exp10"},
	{Name: "expm1", Sig: "T(T)", Elems: floats, Body: "expm1"},
	{Name: "log", Sig: "T(T)", Elems: floats, Body: "log"},
	{Name: "log2", Sig: "T(T)", Elems: floats, Body: "log2"},
	{Name: "log10", Sig: "T(T)", Elems: floats, Body: "log10"},
	{Name: "log1p", Sig: "T(T)", Elems: floats, Body: "log1p"},
	{Name: "pow", Sig: "T(T,T)", Elems: floats, Body: "pow"},
	{Name: "powr", Sig: "T(T,T)", Elems: floats, Body: "powr"},
	{Name: "pown", Sig: "T(T,N)", Elems: floats, Body: "pown"},
	{Name: "rootn", Sig: "T(T,N)", Elems: floats, Body: "rootn"},
	{Name: "__scale", Sig: "T(T,I)", Elems: floats, Body: "__scale"},
	{Name: "__fraction", Sig: "2(T)", Elems: floats, Body: "__fraction", Whole: true},
	{Name: "__log_tail", Sig: "T(T)", Elems: floats, Body: "__log_tail"},
	{Name: "__log_special", Sig: "T(T,T)", Elems: floats, Body: "__log_special"},
	{Name: "__power", Sig: "T(T,T,T)", Elems: floats, Body: "__power"},
}

// trigonometric lists the functions with bodies in trigonometric.cl (OpenCL C 1.2
// §6.12.2); the inverse functions are in inverse.
var trigonometric = []Func{
	{Name: "sin", Sig: "T(T)", Elems: floats, Body: "sin"},
	{Name: "cos", Sig: "T(T)", Elems: floats, Body: "cos"},
	{Name: "tan", Sig: "T(T)", Elems: floats, Body: "tan"},
	{Name: "sincos", Sig: "T(T,P)", Elems: floats, Body: "sin", Out: "cos"},
	{Name: "sinpi", Sig: "T(T)", Elems: floats, Body: "sinpi"},
	{Name: "cospi", Sig: "T(T)", Elems: floats, Body: "cospi"},
	{Name: "tanpi", Sig: "T(T)", Elems: floats, Body: "tanpi"},
	{Name: "__sin_series", Sig: "T(T)", Elems: floats, Body: "__sin_series"},
	{Name: "__unit", Sig: "T(T,U)", Elems: floats, Body: "__unit"},
	{Name: "__sin_half", Sig: "T(T,T)", Elems: floats, Body: "__sin_half"},
	{Name: "__sin_quarter", Sig: "T(T,T)", Elems: floats, Body: "__sin_quarter"},
	{Name: "__cos_quarter", Sig: "T(T,T)", Elems: floats, Body: "__cos_quarter"},
	{Name: "__far_angle", Sig: "2(T,i,z)", Elems: floats, Body: "__far_angle", Whole: true},
}

// native lists the less precise functions, in native.cl (OpenCL C 1.2 §6.12.2).
var native = []Func{
	{Name: "native_exp", Sig: "T(T)", Elems: floats, Body: "native_exp"},
	{Name: "native_exp2", Sig: "T(T)", Elems: floats, Body: "native_exp2"},
	{Name: "native_exp10", Sig: "T(T)", Elems: floats, Body: "native_exp10"},
	{Name: "native_log", Sig: "T(T)", Elems: floats, Body: "native_log"},
	{Name: "native_log2", Sig: "T(T)", Elems: floats, Body: "native_log2"},
	{Name: "native_log10", Sig: "T(T)", Elems: floats, Body: "native_log10"},
	{Name: "native_sin", Sig: "T(T)", Elems: floats, Body: "native_sin"},
	{Name: "native_cos", Sig: "T(T)", Elems: floats, Body: "native_cos"},
	{Name: "native_tan", Sig: "T(T)", Elems: floats, Body: "native_tan"},
	{Name: "native_powr", Sig: "T(T,T)", Elems: floats, Body: "native_powr"},
	{Name: "half_exp", Sig: "T(T)", Elems: floats, Body: "half_exp"},
	{Name: "half_exp2", Sig: "T(T)", Elems: floats, Body: "half_exp2"},
	{Name: "half_exp10", Sig: "T(T)", Elems: floats, Body: "half_exp10"},
	{Name: "half_log", Sig: "T(T)", Elems: floats, Body: "native_log"},
	{Name: "half_log2", Sig: "T(T)", Elems: floats, Body: "native_log2"},
	{Name: "half_log10", Sig: "T(T)", Elems: floats, Body: "native_log10"},
	{Name: "half_sin", Sig: "T(T)", Elems: floats, Body: "native_sin"},
	{Name: "half_cos", Sig: "T(T)", Elems: floats, Body: "half_cos"},
	{Name: "half_tan", Sig: "T(T)", Elems: floats, Body: "half_tan"},
	{Name: "half_powr", Sig: "T(T,T)", Elems: floats, Body: "half_powr"},
	{Name: "__native_power2", Sig: "T(T,T)", Elems: single, Body: "__native_power2"},
	{Name: "__native_unit", Sig: "T(T,T)", Elems: single, Body: "__native_unit"},
	{Name: "__native_tan", Sig: "T(T,T)", Elems: single, Body: "__native_tan"},
	{Name: "__native_log", Sig: "T(T,T)", Elems: single, Body: "__native_log"},
}

// relational lists the functions of OpenCL C 1.2 §6.12.6.
var relational = []Func{
	{Name: "isequal", Sig: "R(T,T)", Elems: floats, Body: "isequal", Test: true},
	{Name: "isnotequal", Sig: "R(T,T)", Elems: floats, Body: "isnotequal", Test: true},
	{Name: "isgreater", Sig: "R(T,T)", Elems: floats, Body: "isgreater", Test: true},
	{Name: "isgreaterequal", Sig: "R(T,T)", Elems: floats, Body: "isgreaterequal", Test: true},
	{Name: "isless", Sig: "R(T,T)", Elems: floats, Body: "isless", Test: true},
	{Name: "islessequal", Sig: "R(T,T)", Elems: floats, Body: "islessequal", Test: true},
	{Name: "islessgreater", Sig: "R(T,T)", Elems: floats, Body: "islessgreater", Test: true},
	{Name: "isfinite", Sig: "R(T)", Elems: floats, Body: "isfinite", Half: "isfinite", Test: true},
	{Name: "isinf", Sig: "R(T)", Elems: floats, Body: "isinf", Half: "isinf", Test: true},
	{Name: "isnan", Sig: "R(T)", Elems: floats, Body: "isnan", Test: true},
	{Name: "isnormal", Sig: "R(T)", Elems: floats, Body: "isnormal", Half: "isnormal", Test: true},
	{Name: "isordered", Sig: "R(T,T)", Elems: floats, Body: "isordered", Test: true},
	{Name: "isunordered", Sig: "R(T,T)", Elems: floats, Body: "isunordered", Test: true},
	{Name: "signbit", Sig: "R(T)", Elems: floats, Body: "signbit", Half: "signbit", Test: true},
	{Name: "any", Sig: "i(T)", Elems: ints, Special: "any"},
	{Name: "all", Sig: "i(T)", Elems: ints, Special: "all"},
	{Name: "bitselect", Sig: "T(T,T,T)", Elems: all, Same: true, Body: "bitselect", Half: "bitselect"},
	{Name: "select", Special: "select"},
}

// special lists work-item functions (OpenCL C 1.2 §6.12.1), synchronization (§6.12.8) and
// shuffles (§6.12.12), and the functions of 2.0 for generic pointers (OpenCL C 2.0 §6.13.9). vload and similar functions are in names.go.
var special = []Func{
	{Name: "get_work_dim", Sig: "u()", Special: "get_work_dim"},
	{Name: "get_global_id", Sig: "z(u)", Special: "get_global_id"},
	{Name: "get_global_size", Sig: "z(u)", Special: "get_global_size"},
	{Name: "get_local_id", Sig: "z(u)", Special: "get_local_id"},
	{Name: "get_local_size", Sig: "z(u)", Special: "get_local_size"},
	{Name: "get_enqueued_local_size", Sig: "z(u)", Special: "get_enqueued_local_size"},
	{Name: "get_group_id", Sig: "z(u)", Special: "get_group_id"},
	{Name: "get_num_groups", Sig: "z(u)", Special: "get_num_groups"},
	{Name: "get_global_offset", Sig: "z(u)", Special: "get_global_offset"},
	{Name: "get_global_linear_id", Sig: "z()", Special: "get_global_linear_id"},
	{Name: "get_local_linear_id", Sig: "z()", Special: "get_local_linear_id"},
	{Name: "barrier", Sig: "v(u)", Special: "barrier"},
	{Name: "work_group_barrier", Sig: "v(u,*)", Special: "barrier"},
	{Name: "mem_fence", Sig: "v(u)", Special: "fence"},
	{Name: "read_mem_fence", Sig: "v(u)", Special: "fence"},
	{Name: "write_mem_fence", Sig: "v(u)", Special: "fence"},
	{Name: "shuffle", Special: "shuffle"},
	{Name: "shuffle2", Special: "shuffle2"},
	{Name: "printf", Special: "printf"},
	{Name: "to_global", Special: "space"},
	{Name: "to_local", Special: "space"},
	{Name: "to_private", Special: "space"},
	{Name: "get_fence", Special: "space"},
	{Name: "prefetch", Sig: "v(*)", Special: "prefetch"},
}
