package ulp_test

import (
	"flag"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/simtc/simtc/builtins"
	"github.com/simtc/simtc/clc/types"
	"github.com/simtc/simtc/utest/ulp"
)

var update = flag.Bool("update", false, "write docs/builtins.md")

const (
	page     = "../../docs/builtins.md"
	measured = "measured.tsv"
)

// section is a table of the specification; a missing function fails the test.
type section struct {
	title, number, names string
}

var sections = []section{
	{"Work-items", "6.12.1", "get_work_dim get_global_size get_global_id get_local_size get_local_id get_num_groups get_group_id get_global_offset"},
	{"Math", "6.12.2", "acos acosh acospi asin asinh asinpi atan atan2 atanh atanpi atan2pi cbrt ceil copysign cos cosh cospi erfc erf " +
		"exp exp2 exp10 expm1 fabs fdim floor fma fmax fmin fmod fract frexp hypot ilogb ldexp lgamma lgamma_r log log2 log10 log1p logb mad " +
		"maxmag minmag modf nan nextafter pow pown powr remainder remquo rint rootn round rsqrt sin sincos sinh sinpi sqrt tan tanh tanpi tgamma trunc"},
	{"Math, native and half", "6.12.2", "half_cos half_divide half_exp half_exp2 half_exp10 half_log half_log2 half_log10 half_powr half_recip half_rsqrt half_sin " +
		"half_sqrt half_tan native_cos native_divide native_exp native_exp2 native_exp10 native_log native_log2 native_log10 native_powr " +
		"native_recip native_rsqrt native_sin native_sqrt native_tan"},
	{"Integers", "6.12.3", "abs abs_diff add_sat hadd rhadd clz mad_hi mad_sat mul_hi rotate sub_sat upsample popcount mad24 mul24"},
	{"Common", "6.12.4", "clamp degrees max min mix radians step smoothstep sign"},
	{"Geometric", "6.12.5", "cross dot distance length normalize fast_distance fast_length fast_normalize"},
	{"Relational", "6.12.6", "isequal isnotequal isgreater isgreaterequal isless islessequal islessgreater isfinite isinf isnan isnormal " +
		"isordered isunordered signbit any all bitselect select"},
	{"Synchronization", "6.12.8, 6.12.9", "barrier mem_fence read_mem_fence write_mem_fence"},
	{"Address spaces of generic pointers", "2.0, 6.13.9", "to_global to_local to_private get_fence"},
	{"Asynchronous copies", "6.12.10", "async_work_group_copy async_work_group_strided_copy wait_group_events prefetch"},
	{"Atomics", "6.12.11", "atomic_add atomic_sub atomic_xchg atomic_inc atomic_dec atomic_cmpxchg atomic_min atomic_max atomic_and atomic_or atomic_xor"},
	{"Vectors", "6.12.12", "shuffle shuffle2"},
	{"printf", "6.12.13", "printf"},
	{"Images", "6.12.14", "read_imagef read_imagei read_imageui write_imagef write_imagei write_imageui get_image_width get_image_height " +
		"get_image_depth get_image_channel_data_type get_image_channel_order get_image_dim get_image_array_size"},
}

// families lists functions with types in their names, which the table of functions does not
// contain.
const families = `## Types in names

| function | section |
|---|---|
| ` + "`convert_<type>[_sat][_rte,_rtz,_rtp,_rtn]`" + `, all scalar and vector types | 6.2.3 |
| ` + "`as_<type>`" + `, types of the same size | 6.2.4 |
| ` + "`vload<n>`, `vstore<n>`" + `, all scalar types and address spaces | 6.12.7 |
| ` + "`vload_half[n]`, `vloada_half<n>`" + ` | 6.12.7 |
| ` + "`vstore_half[n]`, `vstorea_half<n>`" + `, of float and double, with ` + "`_rte`, `_rtz`, `_rtp`, `_rtn`" + ` | 6.12.7 |
| ` + "`vec_step`" + `, of types and of expressions | 6.12.12 |

`

const intro = `# Built-in functions

The functions of package ` + "`builtins`" + `, by sections of the OpenCL C 1.2 specification. This page is
generated: ` + "`go test ./utest/ulp -run TestPage -update`" + `.

In signatures T is a scalar or vector of the listed types and S its element type. "unsigned T"
and "signed T" are integers of the same width, "wide T" integers of twice the width, and intn
is int, all with as many components. relation is int for scalars and signed T for vectors.

Errors are maxima in units in the last place: the specification's bound, and the error that
` + "`utest/ulp`" + ` measured (utest/ulp/measured.tsv), for float / double. A star marks errors measured over
all arguments. "exact" means correctly rounded. half is computed as float, except for fma, which
rounds once, and functions of the representation.

`

// TestPage compares docs/builtins.md with the tables, and checks that these have all functions
// of the specification.
func TestPage(t *testing.T) {
	rows := map[string]*builtins.Func{}
	var rest []string
	listed := map[string]bool{}
	for _, s := range sections {
		for _, n := range strings.Fields(s.names) {
			listed[n] = true
		}
	}
	for _, f := range builtins.Names() {
		rows[f.Name] = f
		if !listed[f.Name] && !strings.HasPrefix(f.Name, "__") {
			rest = append(rest, f.Name)
		}
	}
	slices.Sort(rest)
	results, err := ulp.Load(measured)
	if err != nil {
		require.ErrorIs(t, err, os.ErrNotExist)
	}
	var s strings.Builder
	s.WriteString(intro)
	for _, sec := range sections {
		names := strings.Fields(sec.names)
		slices.Sort(names)
		fmt.Fprintf(&s, "## %s (%s)\n\n", sec.title, sec.number)
		table(t, &s, names, rows, results)
		if sec.number == "6.12.6" {
			s.WriteString(families)
		}
	}
	s.WriteString("## Later versions, extensions and other names\n\n")
	table(t, &s, rest, rows, results)
	text := strings.TrimSuffix(s.String(), "\n")
	if *update {
		require.NoError(t, os.WriteFile(page, []byte(text), 0o644))
	}
	have, err := os.ReadFile(page)
	require.NoError(t, err)
	require.Equal(t, text, string(have), "docs/builtins.md is stale: run with -update")
}

func table(t *testing.T, s *strings.Builder, names []string, rows map[string]*builtins.Func, results []*ulp.Result) {
	errors := slices.ContainsFunc(names, func(n string) bool { return bounds(n) != "" })
	typed := slices.ContainsFunc(names, func(n string) bool { return rows[n] != nil && elems(rows[n]) != "" })
	line := func(cells ...string) { s.WriteString("| " + strings.Join(cells, " | ") + " |\n") }
	columns := func(name, types, allowed, measured string) {
		cells := []string{name}
		if typed {
			cells = append(cells, types)
		}
		if errors {
			cells = append(cells, allowed, measured)
		}
		line(cells...)
	}
	columns("function", "types", "allowed", "measured")
	columns("---", "---", "---", "---")
	for _, n := range names {
		f := rows[n]
		require.NotNil(t, f, "%s is in the specification", n)
		columns("`"+prototype(f)+"`", elems(f), bounds(n), maxima(n, results))
	}
	s.WriteString("\n")
}

// letters maps the letters of builtins.Func.Sig to type names.
var letters = map[string]string{
	"T": "T", "t": "T or S", "S": "S", "U": "unsigned T", "I": "signed T", "N": "intn", "n": "intn or int", "W": "wide T",
	"P": "T *", "Q": "intn *", "R": "relation", "i": "int", "u": "uint", "z": "size_t", "v": "void", "*": "...",
}

func prototype(f *builtins.Func) string {
	result, list, found := strings.Cut(strings.TrimSuffix(f.Sig, ")"), "(")
	if !found {
		return f.Name + "(...)"
	}
	var params []string
	for _, p := range strings.Split(list, ",") {
		if w, ok := letters[p]; ok {
			p = w
		}
		params = append(params, p)
	}
	if w, ok := letters[result]; ok {
		result = w
	}
	return result + " " + f.Name + "(" + strings.Join(params, ", ") + ")"
}

// elems names the element types of T.
func elems(f *builtins.Func) string {
	if !strings.ContainsAny(f.Sig, "TtSPU") {
		return ""
	}
	kinds := []*types.Scalar{types.Char, types.UChar, types.Short, types.UShort, types.Int, types.UInt, types.Long, types.ULong,
		types.Half, types.Float, types.Double}
	var names []string
	for _, k := range kinds {
		if uint32(f.Elems)>>k.Kind&1 != 0 {
			names = append(names, k.String())
		}
	}
	switch text := strings.Join(names, " "); text {
	case "char uchar short ushort int uint long ulong half float double":
		return "all"
	case "char uchar short ushort int uint long ulong":
		return "integers"
	case "half float double":
		return "floats" + components(f)
	default:
		return text
	}
}

// components lists the vector widths of a function that lacks some.
func components(f *builtins.Func) string {
	switch w := f.Widths; {
	case w == nil:
		return ""
	case w[0] == 1:
		return fmt.Sprintf(" of up to %d components", w[len(w)-1])
	default:
		return fmt.Sprintf(" of %d or %d components", w[0], w[1])
	}
}

func bounds(name string) string {
	f := ulp.Find(name)
	if f == nil {
		return ""
	}
	return bound(f.Float) + " / " + bound(f.Double)
}

func bound(x float64) string {
	switch {
	case x == 0:
		return "open"
	case x <= 0.5:
		return "exact"
	}
	return strconv.FormatFloat(x, 'g', -1, 64)
}

func maxima(name string, results []*ulp.Result) string {
	text := [2]string{"-", "-"}
	for _, r := range results {
		if r.Function == name {
			text[r.Type] = fmt.Sprintf("%.2f", r.Max)
			if r.Mode == "all" {
				text[r.Type] += "*"
			}
			if r.Max == 0 {
				text[r.Type] = "0"
			}
		}
	}
	if text == [2]string{"-", "-"} {
		return ""
	}
	return text[0] + " / " + text[1]
}
