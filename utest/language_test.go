package utest

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/simtc/simtc"
	supported "github.com/simtc/simtc/clc/features"
	"github.com/simtc/simtc/clc/types"
	"github.com/simtc/simtc/internal/golden"
)

// feature is a row of the tables in docs/language.md: a language feature and a program
// that uses it. The program compiles for all targets, or fails with the message Missing
// if that is set.
type feature struct {
	Name, Section string // of OpenCL C 1.2 unless another version is given
	Source        string // "BODY" is a kernel's body with __global int *p
	Std           string
	Missing       string
}

// body returns a program with the given kernel body.
func body(s string) string { return "__kernel void k(__global int *p) { " + s + " }" }

var features = []feature{
	{Name: "vectors: literals, components, swizzles, hi lo even odd", Section: "6.1.7", Source: body("int4 v = (int4)(1, (int2)(2, 3), 4); v.xw = v.s21; p[0] = v.hi.x + v.odd.y + v.s3;")},
	{Name: "operators on vectors, element by element", Section: "6.3", Source: body("int4 v = vload4(0, p); v = v * 2 + (v > 3 ? v : -v) << (v & 7); vstore4(v, 0, p);")},
	{Name: "conversions convert_T, _sat, _rte and others", Section: "6.2.3", Source: body("p[0] = convert_uchar_sat_rte(1.5f * p[1]);")},
	{Name: "reinterpretation as_T", Section: "6.2.4", Source: body("p[0] = as_int(as_float(p[1]) * 2);")},
	{Name: "structs, unions, arrays, enums, typedefs", Section: "6.1.9", Source: "typedef union { struct { short a, b; } s; int i; } u; enum e { A = 3 };" + body("u x; x.i = p[0]; p[0] = x.s.b + A;")},
	{Name: "attributes packed, aligned", Section: "6.11.1", Source: "typedef struct __attribute__((packed)) { char a; int b __attribute__((aligned(2))); } s;" + body("p[0] = sizeof(s);")},
	{Name: "#pragma pack, push, pop", Section: "GNU C", Source: "#pragma pack(push, 1)\nstruct s { char c; int i; };\n#pragma pack(pop)\n_Static_assert(sizeof(struct s) == 5, \"\");" + body("p[0] = 1;")},
	{Name: "#pragma OPENCL FP_CONTRACT, STDC FP_CONTRACT, clang fp contract", Section: "6.10", Source: "#pragma clang fp contract(off)\n__kernel void k(__global float *p) {\n#pragma STDC FP_CONTRACT ON\n p[0] = p[1] * p[2] + p[3]; }"},
	{Name: "structs by value as kernel arguments", Section: "6.9", Source: "typedef struct { int a; float4 b; } s; __kernel void k(s x, __global float *p) { p[0] = x.a + x.b.w; }"},
	{Name: "functions, inlined; prototypes", Section: "6", Source: "int f(int x); int f(int x) { return x + 1; }" + body("p[0] = f(p[0]);")},
	{Name: "overloaded functions, attribute overloadable", Section: "6", Source: "int __attribute__((overloadable)) f(int x) { return x; } int __attribute__((overloadable)) f(float x) { return 2; }" + body("p[0] = f(p[0]) + f(1.0f);")},
	{Name: "kernels called by kernels", Section: "6.8", Source: "__kernel void a(__global int *p) { p[0] = 1; }" + body("a(p);")},
	{Name: "goto, switch with ranges and fall-through, all loops", Section: "6", Source: body("switch (p[0]) { case 1 ... 5: goto out; default: p[1] = 2; } while (1) { if (p[2]++ > 3) break; } out: p[3] = 1;")},
	{Name: "statement expressions", Section: "GNU C", Source: body("p[0] = ({ int x = p[1]; x * x; });")},
	{Name: "__local variables and arguments", Section: "6.5.2", Source: "__kernel void k(__global int *p, __local int *q) { __local int t[64]; t[get_local_id(0)] = q[0]; p[0] = t[0]; }"},
	{Name: "program-scope __constant data", Section: "6.5.3", Source: "__constant float t[2] = { 1, 2 };" + body("p[0] = t[p[1] & 1];")},
	{Name: "const variables at program scope", Section: "2.0, 6.5.1", Std: "2.0", Source: "const int n[2] = { 1, 2 };" + body("p[0] = n[p[1] & 1];")},
	{Name: "program-scope variables in __global, static variables of functions", Section: "2.0, 6.5.1", Std: "2.0", Source: "__global int n; int m = 3;" + body("static int k; p[0] = n++ + m + k++;")},
	{Name: "pointers into unnamed (generic) address space", Section: "2.0, 6.5.5", Std: "2.0", Source: "int f(int *q) { return *q; }" + body("int x = 3; __local int y; y = 4; p[0] = f(&x) + f(&y) + f(p);")},
	{Name: "to_global, to_local, to_private, get_fence", Section: "2.0, 6.13.9", Std: "2.0", Source: body("p[0] = to_global(p) == p;")},
	{Name: "barriers, fences", Section: "6.12.8", Source: body("barrier(CLK_LOCAL_MEM_FENCE); mem_fence(CLK_GLOBAL_MEM_FENCE); p[0] = 1;")},
	{Name: "atomic functions", Section: "6.12.11", Source: "__kernel void k(__global int *p, __local uint *q) { atomic_add(p, 1); atom_max(q, 3u); p[1] = atomic_cmpxchg(p, 1, 2); }"},
	{Name: "C11-style atomics", Section: "2.0, 6.13.11", Std: "2.0", Source: "__kernel void k(__global atomic_int *p) { atomic_fetch_add_explicit(p, 1, memory_order_relaxed, memory_scope_device); }"},
	{Name: "asynchronous copies, prefetch", Section: "6.12.10", Source: body("__local int t[16]; event_t e = async_work_group_copy(t, p, 16, 0); wait_group_events(1, &e); p[0] = t[3];")},
	{Name: "functions of work-groups", Section: "2.0, 6.13.15", Std: "2.0", Source: body("p[get_global_id(0)] = work_group_scan_inclusive_add(p[0]) + work_group_any(p[1]);")},
	{Name: "functions of sub-groups", Section: "3.0, 6.15.19", Source: body("p[0] = sub_group_reduce_add(p[get_sub_group_local_id()]);")},
	{Name: "printf", Section: "6.12.13", Source: body(`printf("%d %v4f %s\n", p[0], (float4)(1), "x");`)},
	{Name: "images and samplers", Section: "6.12.14", Source: "__kernel void k(__read_only image2d_t i, sampler_t s, __write_only image3d_t o) { write_imagef(o, (int4)(0), read_imagef(i, s, (float2)(0.5f))); }"},
	{Name: "half storage and arithmetic", Section: "9.6", Source: "#pragma OPENCL EXTENSION cl_khr_fp16 : enable\n__kernel void k(__global half *p) { p[0] = p[1] * p[2] + (half)1.5h; vstore_half(2.0f, 3, p); }"},
	{Name: "double", Section: "6.1.1", Source: "__kernel void k(__global double *p) { p[0] = sqrt(p[1]) * 2.0; }"},
	{Name: "attributes reqd_work_group_size, work_group_size_hint, vec_type_hint", Section: "6.7.2", Source: "__kernel __attribute__((reqd_work_group_size(64, 1, 1))) __attribute__((vec_type_hint(float4))) void k(__global int *p) { p[0] = 1; }"},
	{Name: "#pragma unroll, opencl_unroll_hint", Section: "2.0, 6.11.5", Source: body("\n#pragma unroll 4\nfor (int i = 0; i < 8; i++) p[i] = i;\n")},
	{Name: "flexible array members", Section: "C99, 6.7.2.1", Source: "struct s { int n; int v[]; };\n__kernel void k(__global struct s *p) { p->v[0] = p->n; }"},
	{Name: "_Static_assert", Section: "C11, 6.7.10", Source: "_Static_assert(sizeof(int) == 4, \"int\");\n" + body("_Static_assert(1, \"\");")},
	{Name: "__builtin_shufflevector, _convertvector, _astype", Section: "clang", Source: body("float4 v = __builtin_convertvector(__builtin_astype(p[0], uchar4), float4); p[0] = __builtin_shufflevector(v, v.wzyx, 6, 1).x;")},
	{Name: "__builtin_offsetof", Section: "GNU C", Source: "struct s { int a; struct { float4 v[3]; } b; };" + body("p[0] = __builtin_offsetof(struct s, b.v[2]);")},
	{Name: "the preprocessor, whole", Section: "6.10", Source: "#define C(a, b) a##b\n#define S(x, ...) #x #__VA_ARGS__\n" + body("p[0] = C(1, 2) + sizeof(S(a, b)) + __OPENCL_VERSION__;")},
	{Name: "recursion", Section: "6.9", Source: "int f(int n) { return n ? f(n - 1) : 0; }" + body("p[0] = f(3);"), Missing: "recursion is not supported"},
	{Name: "pointers to functions", Section: "6.9", Source: body("int (*f)(int) = 0;"), Missing: "pointers to functions are not supported"},
	{Name: "arrays of variable length", Section: "6.9", Source: body("int a[p[0]];"), Missing: "variable length arrays are not supported"},
	{Name: "bit-fields", Section: "6.9", Source: "struct s { int a : 3; };" + body(""), Missing: "bit-fields are not supported"},
	{Name: "pipes", Section: "2.0, 6.13.16", Std: "2.0", Source: "__kernel void k(read_only pipe int q) { }", Missing: "pipe"},
	{Name: "blocks, enqueue_kernel", Section: "2.0, 6.13.17", Std: "2.0", Source: body("queue_t q; enqueue_kernel(q, 0, ndrange_1D(1), ^{ p[0] = 1; });"), Missing: "expected"},
}

// compiles compiles a program for every target.
func compiles(source, std string) error {
	for _, target := range []string{simtc.AVX512, simtc.AVX2, simtc.WASM} {
		p, err := simtc.Compile(source, simtc.Options{Strategy: simtc.Strategy{Target: target}, File: "in.cl", Std: std, Debug: simtc.Debug{Verify: true}})
		if err != nil {
			return err
		}
		_, err = p.Emit("vir")
		if err := p.Close(); err != nil {
			return err
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// TestLanguageTables checks that the tables of docs/language.md are up to date.
func TestLanguageTables(t *testing.T) {
	var b strings.Builder
	b.WriteString("| the language | section | |\n|---|---|---|\n")
	for _, f := range features {
		err := compiles(f.Source, f.Std)
		status := "supported"
		if f.Missing != "" {
			require.ErrorContains(t, err, f.Missing, f.Name)
			status = "not supported"
		} else {
			require.NoError(t, err, "%s\n%s", f.Name, f.Source)
		}
		fmt.Fprintf(&b, "| %s | %s | %s |\n", f.Name, f.Section, status)
	}
	b.WriteString("\n| type | |\n|---|---|\n")
	typeRows(t, &b)
	b.WriteString("\n| extension (its macro is defined) |\n|---|\n")
	for _, e := range supported.Extensions {
		name := e.Name
		require.NoError(t, compiles("#ifndef "+name+"\n#error missing\n#endif\n#pragma OPENCL EXTENSION "+name+" : enable\n"+body("p[0] = 1;"), ""), name)
		fmt.Fprintf(&b, "| `%s` |\n", name)
	}

	const path, from, to = "../docs/language.md", "<!-- tables -->\n", "<!-- end of tables -->"
	old, err := os.ReadFile(path)
	require.NoError(t, err)
	head, rest, ok := strings.Cut(string(old), from)
	require.True(t, ok, "%s has no %s", path, from)
	_, tail, ok := strings.Cut(rest, to)
	require.True(t, ok, "%s has no %s", path, to)
	text := head + from + b.String() + to + tail
	if golden.Updating() {
		require.NoError(t, os.WriteFile(path, []byte(text), 0o666))
		return
	}
	require.Equal(t, text, string(old), "run go test ./utest -run TestLanguageTables -update")
}

// typeRows writes a row for every type, with every use that is allowed.
func typeRows(t *testing.T, b *strings.Builder) {
	row := func(what, source string) {
		status := "supported"
		if err := compiles(source, "2.0"); err != nil {
			require.Contains(t, err.Error(), "not supported", "%s\n%s", what, source)
			status = "not supported"
		}
		fmt.Fprintf(b, "| %s | %s |\n", what, status)
	}
	scalars, opaque := types.Names()
	for _, name := range scalars {
		switch name {
		case "void":
		case "bool":
			row("`bool`", "bool f(bool x) { return !x; } "+body("bool y[2]; y[p[0] & 1] = p[1]; p[0] = f(y[0]);"))
		default:
			var source strings.Builder
			sizes := []string{""}
			for _, n := range types.VectorSizes {
				sizes = append(sizes, fmt.Sprint(n))
			}
			for _, n := range sizes {
				fmt.Fprintf(&source, "%s%s f%s(%[1]s%[2]s x) { return x + x; }\n__kernel void k%[3]s(__global %[1]s%[2]s *p, %[1]s%[2]s a) { %[1]s%[2]s y[3]; y[get_global_id(0) %% 3] = p[1]; p[0] = f%[3]s(y[0]) - a; }\n", name, n, n)
			}
			row(fmt.Sprintf("`%s` and its vectors", name), source.String())
		}
	}
	for _, name := range opaque {
		source := body(name + " e; p[0] = sizeof(e);")
		switch {
		case strings.HasPrefix(name, "image"):
			source = fmt.Sprintf("__kernel void k(__read_only %s i, __global int *p) { p[0] = get_image_width(i); }", name)
		case name == "sampler_t":
			source = "__kernel void k(sampler_t s, __read_only image2d_t i, __global float4 *p) { p[0] = read_imagef(i, s, (int2)(0)); }"
		}
		row("`"+name+"`", source)
	}
}
