package check_test

import (
	"errors"
	"strconv"
	"strings"

	"github.com/simtc/simtc/clc/check"
	"github.com/simtc/simtc/clc/types"
)

// fakeBuiltins implements enough built-in functions to check real kernels: it derives the
// result type from the first argument.
type fakeBuiltins struct{}

var shapes = map[string]string{
	"get_global_id": "uz", "get_local_id": "uz", "get_group_id": "uz", "get_global_size": "uz", "get_local_size": "uz",
	"get_num_groups": "uz", "get_global_offset": "uz", "get_work_dim": "U",
	"barrier": "uv", "mem_fence": "uv", "read_mem_fence": "uv", "write_mem_fence": "uv",
	"printf": "p",
}

// same lists the functions whose arguments and result all have one type.
const same = " sqrt rsqrt fabs floor ceil trunc rint round exp exp2 log log2 sin cos tan fma mad mad24 mul24 min max clamp " +
	"fmin fmax pow powr mix step fmod native_sqrt native_exp native_recip native_sin native_cos native_log half_sqrt " +
	"half_recip rotate add_sat sub_sat mul_hi mad_hi hadd rhadd popcount clz ctz bitselect copysign atan2 hypot cbrt " +
	"normalize cross sign degrees radians exp10 log10 log1p expm1 sinh cosh tanh asin acos atan fdim maxmag minmag mad_sat smoothstep " +
	"remainder nextafter sub_group_reduce_add native_divide native_powr native_exp2 native_log2 native_rsqrt native_tan nan logb sinpi cospi tanpi "

// tests lists the relational functions.
const tests = " isnan isinf isfinite isnormal signbit isequal isnotequal isgreater isless isgreaterequal islessequal islessgreater isordered isunordered "

func (fakeBuiltins) Names() []string { return strings.Fields(same + tests) }

// Candidates returns the one overload that Lookup finds.
func (b fakeBuiltins) Candidates(name string, args []types.Type) []check.Candidate {
	result, params, handle, err := b.Lookup(name, args)
	if result == nil || err != nil {
		return nil
	}
	return []check.Candidate{{Result: result, Params: params, Handle: handle}}
}

func (fakeBuiltins) Lookup(name string, args []types.Type) (types.Type, []types.Type, any, error) {
	short := errors.New("too few arguments")
	for _, prefix := range []string{"convert_", "as_"} {
		if rest, ok := strings.CutPrefix(name, prefix); ok {
			for _, suffix := range []string{"_rte", "_rtz", "_rtp", "_rtn", "_sat"} {
				rest = strings.TrimSuffix(rest, suffix)
			}
			if t := types.ByName(rest); t != nil {
				return t, args, name, nil
			}
		}
	}
	switch shapes[name] {
	case "uz":
		return types.SizeT, []types.Type{types.UInt}, name, nil
	case "U":
		return types.UInt, nil, name, nil
	case "uv":
		return types.Void, []types.Type{types.UInt}, name, nil
	case "p":
		return types.Int, args[:min(1, len(args))], name, nil
	}
	if n, ok := strings.CutPrefix(name, "vload"); ok && len(args) == 2 {
		if p, ok := args[1].(*types.Pointer); ok {
			n, _ := strconv.Atoi(n)
			if t := types.VectorOf(types.ScalarType(p.Elem), n); t != nil && n > 1 {
				return t, []types.Type{types.SizeT, p}, name, nil
			}
		}
	}
	if strings.HasPrefix(name, "vstore") && len(args) == 3 {
		return types.Void, []types.Type{args[0], types.SizeT, args[2]}, name, nil
	}
	if strings.HasPrefix(name, "atomic_") || strings.HasPrefix(name, "atom_") {
		if len(args) == 0 {
			return nil, nil, nil, short
		}
		if p, ok := args[0].(*types.Pointer); ok {
			params := []types.Type{args[0]}
			for range args[1:] {
				params = append(params, p.Elem)
			}
			return p.Elem, params, name, nil
		}
		return nil, nil, nil, errors.New("the first argument must be a pointer")
	}
	first := func() types.Type {
		for _, a := range args {
			if types.IsVector(a) {
				return a
			}
		}
		return args[0]
	}
	key := " " + name + " "
	switch {
	case strings.Contains(same, key):
		if len(args) == 0 {
			return nil, nil, nil, short
		}
		t := first()
		if types.ElemScalar(t) == nil {
			return nil, nil, nil, errors.New("it takes numbers and vectors")
		}
		params := make([]types.Type, len(args))
		for i := range params {
			params[i] = t
		}
		return t, params, name, nil
	case strings.Contains(tests, key) && len(args) > 0:
		return types.BoolResult(args[0]), args, name, nil
	}
	if len(args) == 0 || types.ElemScalar(args[0]) == nil {
		return nil, nil, nil, nil
	}
	scalar, n := types.ElemScalar(args[0]), types.NumElems(args[0])
	switch name {
	case "dot", "length", "distance", "fast_length", "fast_distance":
		return scalar, args, name, nil
	case "any", "all":
		return types.Int, args, name, nil
	case "ilogb":
		return types.VectorOf(types.Int, n), args, name, nil
	case "abs", "abs_diff":
		return types.VectorOf(scalar.Unsigned(), n), args, name, nil
	case "upsample":
		return types.VectorOf(types.ScalarOf(scalar.Kind+2), n), args, name, nil
	case "shuffle", "shuffle2":
		if len(args) < 2 {
			return nil, nil, nil, short
		}
		return types.VectorOf(scalar, types.NumElems(args[len(args)-1])), args, name, nil
	case "select", "fract", "modf", "sincos", "ldexp", "pown", "rootn", "frexp", "remquo", "lgamma", "tgamma", "erf", "erfc":
		return args[0], args, name, nil
	}
	return nil, nil, nil, nil
}
