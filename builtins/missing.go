package builtins

import (
	"strings"

	"github.com/simtc/simtc/clc/types"
)

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
	add("v(*)", 0, "sub_group_barrier wait_group_events")
	add("i(*)", 0, "work_group_all work_group_any sub_group_all sub_group_any")
	add("u(*)", 0, "get_sub_group_size get_max_sub_group_size get_num_sub_groups get_sub_group_id get_sub_group_local_id "+
		"get_enqueued_num_sub_groups")
	for _, n := range strings.Fields("async_work_group_copy async_work_group_strided_copy") {
		out = append(out, Func{Name: n, Special: "async", Missing: true})
	}
	add("T(T,*)", all, "sub_group_broadcast sub_group_reduce_add sub_group_reduce_min sub_group_reduce_max "+
		"sub_group_scan_exclusive_add sub_group_scan_exclusive_min sub_group_scan_exclusive_max "+
		"sub_group_scan_inclusive_add sub_group_scan_inclusive_min sub_group_scan_inclusive_max "+
		"work_group_broadcast work_group_reduce_add work_group_reduce_min work_group_reduce_max "+
		"work_group_scan_exclusive_add work_group_scan_exclusive_min work_group_scan_exclusive_max "+
		"work_group_scan_inclusive_add work_group_scan_inclusive_min work_group_scan_inclusive_max "+
		"sub_group_shuffle sub_group_shuffle_xor intel_sub_group_shuffle intel_sub_group_shuffle_xor")
	return out
}()

func resolveAsync(f *Func, args []types.Type) (*Call, error) {
	return &Call{Func: f, N: 1, Elem: types.Int, Result: types.ByName("event_t"), Params: args}, nil
}
