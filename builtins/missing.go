package builtins

import "strings"

// missing are the functions that programs may call and that cannot be
// compiled yet: calling one is an error that names it.
var missing = func() []Func {
	var out []Func
	add := func(sig string, elems set, names string) {
		for _, n := range strings.Fields(names) {
			out = append(out, Func{Name: n, Sig: sig, Elems: elems, Missing: true})
		}
	}
	add("T(T)", floats, "native_cos native_exp native_exp2 native_exp10 native_log native_log2 native_log10 native_sin native_tan "+
		"half_cos half_exp half_exp2 half_exp10 half_log half_log2 half_log10 half_sin half_tan")
	add("T(T,T)", floats, "native_powr half_powr")
	return out
}()
