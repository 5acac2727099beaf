package clc_test

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/simtc/simtc/clc"
)

// TestPackLayout checks that #pragma pack gives structs the same layout as clang.
func TestPackLayout(t *testing.T) {
	text, err := os.ReadFile("testdata/pack_layout.cl")
	require.NoError(t, err)
	m, err := clc.Compile("pack_layout.cl", string(text), clc.Options{})
	require.NoError(t, err)
	require.Empty(t, m.Warnings)
}

const emptyKernel = "\nkernel void k(global int *p) { }\n"

// TestPragmaMessages checks that a pragma that would change the meaning of the program is
// applied or gives an error, and that an unknown one gives a warning.
func TestPragmaMessages(t *testing.T) {
	for _, c := range []struct{ text, err, warning string }{
		{"#pragma once", "", ""},
		{"#pragma once more", "", "in.cl:1:14: extra tokens after #pragma once are ignored"},
		{"#pragma GCC diagnostic push\n#pragma clang diagnostic ignored \"-Wall\"\n#pragma GCC system_header", "", ""},
		{"#pragma STDC FENV_ACCESS ON\n#pragma STDC CX_LIMITED_RANGE ON\n#pragma region r\n#pragma endregion", "", ""},
		{"#pragma clang optimize off\n#pragma ivdep\n#pragma float_control(precise, on)", "", ""},
		{"#pragma omp parallel", "", "in.cl:1:9: unknown #pragma 'omp' is ignored"},
		{"#pragma clang nonsense 3", "", "in.cl:1:9: unknown #pragma 'clang nonsense' is ignored"},
		{"_Pragma(\"nonsense\")", "", "in.cl:1:1: unknown #pragma 'nonsense' is ignored"},
		{"#define P(x) _Pragma(#x)\nP(odd one)", "", "in.cl:2:1: unknown #pragma 'odd' is ignored"},

		{"#pragma OPENCL EXTENSION cl_khr_fp64 : enable", "", ""},
		{"#pragma OPENCL EXTENSION all : disable", "", ""},
		{"#pragma OPENCL EXTENSION cl_no_such_thing : disable", "", ""},
		{"#pragma OPENCL EXTENSION cl_no_such_thing : enable", "", "in.cl:1:26: extension 'cl_no_such_thing' is unknown or not supported; the #pragma is ignored"},
		{"#pragma OPENCL EXTENSION all : enable", "", "in.cl:1:26: 'enable' is no behavior of extension 'all'; the #pragma is ignored"},
		{"#pragma OPENCL EXTENSION cl_khr_fp64 : please", "", "in.cl:1:26: 'please' is no behavior of extension 'cl_khr_fp64'; the #pragma is ignored"},
		{"#pragma OPENCL EXTENSION cl_khr_fp64 enable", "", "in.cl:1:26: #pragma OPENCL EXTENSION takes a name, ':' and enable or disable; it is ignored"},

		{"#pragma OPENCL SELECT_ROUNDING_MODE rte", "", ""},
		{"#pragma OPENCL SELECT_ROUNDING_MODE rtz", "in.cl:1:9: rounding mode 'rtz' is not supported: operations round to nearest even", ""},
		{"#pragma STDC FENV_ROUND FE_UPWARD", "in.cl:1:9: rounding mode 'FE_UPWARD' is not supported: operations round to nearest even", ""},
		{"#pragma STDC FP_CONTRACT MAYBE", "in.cl:1:9: FP_CONTRACT takes ON, OFF or DEFAULT, not 'MAYBE'", ""},
		{"#pragma clang fp contract(maybe)", "in.cl:1:18: #pragma clang fp contract(maybe) is not supported", ""},
		{"#pragma clang fp eval_method(double)", "in.cl:1:18: #pragma clang fp eval_method(double) is not supported", ""},
		{"#pragma clang fp contract", "in.cl:1:18: #pragma clang fp takes options such as contract(off)", ""},
		{"void f(float a) {\n a = 1;\n#pragma OPENCL FP_CONTRACT OFF\n}", "in.cl:3:9: #pragma OPENCL FP_CONTRACT must be at file scope or at the start of a compound statement", ""},
		{"void f(float a) {\n {\n#pragma unroll 2\n#pragma clang fp contract(off)\n for (;;); } }", "", ""},
		{"struct s {\n#pragma STDC FP_CONTRACT OFF\n int a; };", "in.cl:2:9: #pragma STDC FP_CONTRACT must be at file scope or at the start of a compound statement", ""},

		{"#pragma pack(3)", "in.cl:1:9: #pragma pack takes (n), (push), (push, n), (pop) or () with n 1, 2, 4, 8 or 16; push and pop may have a label before n", ""},
		{"#pragma pack 1", "in.cl:1:9: #pragma pack takes", ""},
		{"#pragma pack(push, 1", "in.cl:1:9: #pragma pack takes", ""},
		{"#pragma pack(peek)", "in.cl:1:9: #pragma pack takes", ""},
		{"#pragma pack(1, 2)", "in.cl:1:9: #pragma pack takes", ""},
		{"#pragma pack(4)\n#pragma pack(show)", "", "in.cl:2:9: the value of #pragma pack is 4"},
		{"#pragma pack(pop)", "", "in.cl:1:9: #pragma pack(pop) finds nothing that was pushed"},
		{"#pragma pack(push, 2)\n#pragma pack(pop, there)\n#pragma pack(pop)", "", "in.cl:2:9: #pragma pack(pop) finds nothing that was pushed as 'there'"},
		{"#pragma pack(push, 2)", "", "in.cl:1:9: #pragma pack(push) is not popped before the end of the file"},
		{"#pragma ms_struct on", "in.cl:1:9: #pragma ms_struct on is not supported", ""},
		{"#pragma ms_struct off", "", ""},
		{"#pragma options align=packed", "in.cl:1:9: #pragma options align is not supported", ""},
		{"#pragma scalar_storage_order big-endian", "in.cl:1:9: #pragma scalar_storage_order is not supported", ""},
		{"#pragma clang attribute push(__attribute__((packed)), apply_to = record)", "in.cl:1:9: #pragma clang attribute is not supported", ""},

		{"#define A 1\n#pragma push_macro(\"A\")\n#undef A\n#define A 2\n#pragma pop_macro(\"A\")\n#if A != 1\n#error A\n#endif", "", ""},
		{"#pragma push_macro(\"A\")\n#define A 2\n#pragma pop_macro(\"A\")\n#ifdef A\n#error A\n#endif", "", ""},
		{"#pragma pop_macro(\"A\")", "", "in.cl:1:9: #pragma pop_macro(\"A\") without a push_macro before it is ignored"},
		{"#pragma push_macro(A)", "in.cl:1:9: #pragma push_macro takes a name in quotes and parentheses: (\"NAME\")", ""},
		{"#pragma GCC poison printf gets\nvoid f(void) { printf(\"x\"); }", "in.cl:2:16: 'printf' was poisoned by a #pragma", ""},
		{"#pragma GCC error \"no\" \" way\"", "in.cl:1:9: no way", ""},
		{"#pragma GCC warning \"slow\"", "", "in.cl:1:9: slow"},
		{"#define TEXT \"hello\"\n#pragma message(TEXT)", "", "in.cl:2:9: hello"},
		{"#warning so so", "", "in.cl:1:2: #warning so so"},

		{"void f(int n) {\n#pragma unroll (n)\n for (;;); }", "in.cl:2:17: the count of an unrolled loop is not a constant", ""},
		{"void f(int n) {\n#pragma unroll -1\n for (;;); }", "in.cl:2:16: the count of an unrolled loop is negative (-1)", ""},
		{"void f(int n) {\n#pragma unroll 2 3\n for (;;); }", "in.cl:2:18: #pragma unroll: expected the end of the line, found '3'", ""},
		{"void f(int n) {\n#pragma clang loop unroll_count(2 + 2) vectorize(enable)\n for (;;); }", "", ""},
		{"void f(int n) {\n#pragma clang loop unroll(often)\n for (;;); }", "in.cl:2:20: unroll takes enable, full or disable, not 'often'", ""},
		{"void f(int n) {\n#pragma clang loop unroll_count()\n for (;;); }", "in.cl:2:9: #pragma clang loop: expected an expression", ""},
		{"void f(int n) {\n#pragma clang loop invert(enable)\n for (;;); }", "in.cl:2:20: #pragma clang loop has no option 'invert'", ""},
		{"void f(int n) {\n#pragma clang loop unroll(full\n for (;;); }", "in.cl:2:20: #pragma clang loop: expected ')' after 'unroll'", ""},
	} {
		m, err := clc.Compile("in.cl", c.text+emptyKernel, clc.Options{})
		if c.err != "" {
			require.ErrorContains(t, err, c.err, c.text)
			continue
		}
		require.NoError(t, err, c.text)
		if c.warning == "" {
			require.Empty(t, m.Warnings, c.text)
			continue
		}
		require.Len(t, m.Warnings, 1, c.text)
		require.Equal(t, c.warning, m.Warnings[0].Error(), c.text)
	}
}

// TestWarningsAreErrors checks that -Werror turns warnings into errors, except the
// program's own messages, and that -w suppresses both.
func TestWarningsAreErrors(t *testing.T) {
	const text = "#pragma nonsense\n#pragma message \"hello\"" + emptyKernel
	m, err := clc.Compile("in.cl", text, clc.Options{})
	require.NoError(t, err)
	require.Len(t, m.Warnings, 2)
	_, err = clc.Compile("in.cl", text, clc.Options{WarningsAreErrors: true})
	require.EqualError(t, err, "in.cl:1:9: unknown #pragma 'nonsense' is ignored")
	m, err = clc.Compile("in.cl", "#pragma message \"hello\""+emptyKernel, clc.Options{WarningsAreErrors: true})
	require.NoError(t, err)
	require.Len(t, m.Warnings, 1)
	m, err = clc.Compile("in.cl", text, clc.Options{WarningsAreErrors: true, NoWarnings: true})
	require.NoError(t, err)
	require.Empty(t, m.Warnings)
}
