package simtc_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"
	"unsafe"

	"github.com/stretchr/testify/require"

	"github.com/simtc/simtc"
)

func compile(t testing.TB, source string, opt simtc.Options) *simtc.Program {
	t.Helper()
	opt.Debug.Verify = true
	p, err := simtc.Compile(source, opt)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, p.Close()) })
	return p
}

// everywhere calls f with the kernel compiled with every strategy that runs on the host.
func everywhere(t *testing.T, source, name string, f func(t *testing.T, k *simtc.Kernel)) {
	t.Helper()
	p := compile(t, source, simtc.Options{})
	k, err := p.Kernel(name)
	require.NoError(t, err)
	for _, target := range simtc.Targets() {
		if err := simtc.Available(target); err != nil {
			t.Logf("SKIPPED %s: %v", target, err)
			continue
		}
		widths := simtc.Widths(target)
		if widths == nil {
			widths = []int{0}
		}
		for _, w := range widths {
			v, err := k.With(simtc.Strategy{Target: target, Width: w})
			require.NoError(t, err)
			t.Run(fmt.Sprintf("%s-%d", target, w), func(t *testing.T) { f(t, v) })
		}
	}
}

// TestOverlappingBuffers checks that a work-item loads through one argument what it has stored through
// another that points to the same memory.
func TestOverlappingBuffers(t *testing.T) {
	const source = `
__kernel void shift(__global const uint *in, __global uint *out) {
  size_t i = get_global_id(0);
  out[4 * i] = in[4 * i] + 7;
  out[4 * i + 1] = in[4 * i + 1] * 2;
}`
	everywhere(t, source, "shift", func(t *testing.T, k *simtc.Kernel) {
		const n = 100
		buffer, apart, want, wantApart := make([]uint32, 4*n+1), make([]uint32, 4*n), make([]uint32, 4*n+1), make([]uint32, 4*n)
		for i := range buffer {
			buffer[i], want[i] = uint32(i), uint32(i)
		}
		for i := range n {
			want[4*i+1] = uint32(4*i) + 7
			want[4*i+2] = want[4*i+1] * 2
			wantApart[4*i], wantApart[4*i+1] = want[4*i]+7, want[4*i+1]*2
		}
		require.NoError(t, k.Launch(context.Background(), simtc.NDRange(n), buffer, buffer[1:]))
		require.Equal(t, want, buffer)
		require.NoError(t, k.Launch(context.Background(), simtc.NDRange(n), buffer, apart))
		require.Equal(t, wantApart, apart)
	})
	emitted := func(apart bool) string {
		p := compile(t, source, simtc.Options{Strategy: simtc.Strategy{Target: simtc.WASM, Width: 4}, NoAlias: apart})
		text, err := p.Emit("wat")
		require.NoError(t, err)
		return string(text)
	}
	require.NotEqual(t, emitted(false), emitted(true))
}

const ids = `
__kernel void ids(__global ulong *out, uint stride) {
  size_t x = get_global_id(0) - get_global_offset(0);
  size_t y = get_global_id(1) - get_global_offset(1);
  size_t z = get_global_id(2) - get_global_offset(2);
  size_t at = (z * get_global_size(1) + y) * get_global_size(0) + x;
  __global ulong *p = out + at * stride;
  for (uint d = 0; d < 3; d++) {
    p[d] = get_global_id(d);
    p[3 + d] = get_local_id(d);
    p[6 + d] = get_group_id(d);
    p[9 + d] = get_local_size(d);
    p[12 + d] = get_num_groups(d);
    p[15 + d] = get_global_size(d);
    p[18 + d] = get_global_offset(d);
  }
  p[21] = get_work_dim();
}`

func TestWorkItemsOfEveryRange(t *testing.T) {
	ranges := []simtc.Range{
		simtc.NDRange(1),
		simtc.NDRange(3).WithLocal(2),
		simtc.NDRange(64).WithLocal(16).WithOffset(1000),
		simtc.NDRange(67).WithLocal(67),
		simtc.NDRange(100).WithLocal(7),
		simtc.NDRange(19, 3).WithLocal(5, 2).WithOffset(7, 1<<30),
		simtc.NDRange(5, 4, 3).WithLocal(2, 2, 2).WithOffset(1, 2, 3),
		simtc.NDRange(1, 9, 5).WithLocal(1, 3, 5),
	}
	everywhere(t, ids, "ids", func(t *testing.T, k *simtc.Kernel) {
		for _, r := range ranges {
			const n = 22
			g := r.Global
			l := r.Local
			for d := range 3 {
				g[d], l[d] = max(g[d], 1), max(l[d], 1)
			}
			out := make([]uint64, n*g[0]*g[1]*g[2])
			require.NoError(t, k.Launch(context.Background(), r, out, uint32(n)))
			at := 0
			for z := range g[2] {
				for y := range g[1] {
					for x := range g[0] {
						id := [3]uint64{x, y, z}
						var want [n]uint64
						for d := range 3 {
							group := id[d] / l[d]
							want[d] = id[d] + r.Offset[d]
							want[3+d] = id[d] % l[d]
							want[6+d] = group
							want[9+d] = min(l[d], g[d]-group*l[d])
							want[12+d] = (g[d] + l[d] - 1) / l[d]
							want[15+d] = g[d]
							want[18+d] = r.Offset[d]
						}
						want[21] = uint64(r.Dims)
						require.Equal(t, want[:], out[at:at+n], "work-item %v of %+v", id, r)
						at += n
					}
				}
			}
		}
	})
}

func TestTailsTouchNothingBeyond(t *testing.T) {
	const source = `__kernel void fill(__global char *p, char v) { p[get_global_id(0)] = v; }`
	everywhere(t, source, "fill", func(t *testing.T, k *simtc.Kernel) {
		for n := uint64(1); n < 70; n += 1 + n/9 {
			b := make([]int8, 256)
			require.NoError(t, k.Launch(context.Background(), simtc.NDRange(n).WithOffset(100), b, 7))
			for i, v := range b {
				want := int8(0)
				if uint64(i) >= 100 && uint64(i) < 100+n {
					want = 7
				}
				require.Equal(t, want, v, "element %d of a run over %d", i, n)
			}
		}
	})
}

func TestManyChunksOnManyThreads(t *testing.T) {
	const source = `__kernel void square(__global uint *p) { uint i = get_global_id(0); p[i] = i * i; }`
	for _, threads := range []int{0, 1, 7} {
		p := compile(t, source, simtc.Options{Threads: threads})
		k, err := p.Kernel("")
		require.NoError(t, err)
		b := make([]uint32, 300_001)
		require.NoError(t, k.Launch(context.Background(), simtc.NDRange(uint64(len(b))), b))
		for i, v := range b {
			if v != uint32(i)*uint32(i) {
				t.Fatalf("element %d is %d", i, v)
			}
		}
	}
}

func TestArgumentsOfEveryKind(t *testing.T) {
	const source = `
typedef struct { float a; int b[2]; } pair;
__kernel void mix(__global double *out, char c, uchar uc, short s, ushort us, int i, uint u, long l, ulong ul,
                  float f, double d, float4 v, int3 w, pair q, __global const pair *qs, __global int *none) {
  out[0] = c; out[1] = uc; out[2] = s; out[3] = us; out[4] = i; out[5] = u; out[6] = l; out[7] = ul;
  out[8] = f; out[9] = d; out[10] = v.x; out[11] = v.w; out[12] = w.z; out[13] = q.a; out[14] = q.b[1];
  out[15] = qs[1].b[0]; out[16] = none == 0;
}`
	type pair struct {
		A float32
		B [2]int32
	}
	everywhere(t, source, "mix", func(t *testing.T, k *simtc.Kernel) {
		out := make([]float64, 17)
		err := k.Launch(context.Background(), simtc.NDRange(1), out, -1, 255, int16(-3), 65535, -5, uint32(math.MaxUint32),
			int64(-7), uint64(1)<<63, 1.5, 2.25, [4]float32{1, 2, 3, 4}, []int{7, 8, 9}, pair{2.5, [2]int32{3, 4}},
			[]pair{{}, {1, [2]int32{11, 12}}}, nil)
		require.NoError(t, err)
		require.Equal(t, []float64{-1, 255, -3, 65535, -5, math.MaxUint32, -7, 1 << 63, 1.5, 2.25, 1, 4, 9, 2.5, 4, 11, 1}, out)
	})
}

func TestArgumentErrors(t *testing.T) {
	const source = `
struct s { int a, b; };
__kernel void f(__global float *p, int n, uchar c, float4 v, struct s q) { p[0] = n + c + v.x + q.a; }`
	type s struct{ A, B int32 }
	p := compile(t, source, simtc.Options{})
	k, err := p.Kernel("f")
	require.NoError(t, err)
	good := []any{make([]float32, 4), 1, 2, []float32{1, 2, 3, 4}, s{}}
	launch := func(args ...any) error { return k.Launch(context.Background(), simtc.NDRange(1), args...) }
	require.NoError(t, launch(good...))
	require.ErrorContains(t, launch(), "kernel f takes 5 arguments, got 0")
	for _, c := range []struct {
		at    int
		value any
		want  string
	}{
		{0, []int32{1}, "argument 0 (__global float * p): wants a slice of float32, got []int32"},
		{0, []float64{1}, "wants a slice of float32"},
		{0, 3.0, "wants a slice, got float64"},
		{0, []*float32{nil}, "holds Go pointers"},
		{0, []string{"x"}, "holds Go pointers"},
		{0, simtc.LocalMemory(4), "wants a buffer"},
		{1, "x", "wants a value of int"},
		{1, nil, "wants a value of int, got nil"},
		{1, 1.5, "wants a value of int"},
		{1, int64(1) << 40, "wants a value of int, got 1099511627776"},
		{2, 256, "wants a value of uchar, got 256"},
		{2, -1, "wants a value of uchar, got -1"},
		{3, []float32{1, 2, 3}, "wants an array or slice of 4 float"},
		{3, 1.0, "wants an array or slice of 4 float"},
		{4, struct{ A int64 }{}, ""},
		{4, struct{ A int32 }{}, "wants a struct of 8 bytes"},
		{4, []byte{1}, "wants 8 bytes, got 1"},
		{4, simtc.Buffer(nil), "wants 8 bytes by value"},
	} {
		args := append([]any(nil), good...)
		args[c.at] = c.value
		err := launch(args...)
		if c.want == "" {
			require.NoError(t, err)
			continue
		}
		require.ErrorContains(t, err, c.want, "%T as argument %d", c.value, c.at)
	}
}

func TestRangeErrors(t *testing.T) {
	p := compile(t, `__kernel __attribute__((reqd_work_group_size(8, 1, 1))) void f(__global int *p) { p[get_global_id(0)] = 1; }`, simtc.Options{})
	k, err := p.Kernel("f")
	require.NoError(t, err)
	launch := func(r simtc.Range) error { return k.Launch(context.Background(), r, make([]int32, 64)) }
	require.NoError(t, launch(simtc.NDRange(64)))
	require.NoError(t, launch(simtc.NDRange(64).WithLocal(8)))
	require.ErrorContains(t, launch(simtc.NDRange(64).WithLocal(16)), "is not the 8 that the kernel requires")
	require.ErrorContains(t, launch(simtc.Range{}), "1 to 3 dimensions")
	require.NoError(t, launch(simtc.NDRange(0)))
	require.ErrorContains(t, launch(simtc.NDRange(8).WithOffset(0, 1)), "dimension 1 is given")
	require.ErrorContains(t, launch(simtc.NDRange(1<<20, 1<<20, 1<<20)), "more than 281474976710656 work-items in total")
	require.ErrorContains(t, launch(simtc.NDRange(1<<40)), "dimension 0 exceeds 2147483648 work-items")
	require.ErrorContains(t, launch(simtc.NDRange(8).WithOffset(1<<63)), "the offset 9223372036854775808 of dimension 0 exceeds 9223372036854710264")
	r, err := k.Resolve(simtc.NDRange(64))
	require.NoError(t, err)
	require.Equal(t, [3]uint64{8, 1, 1}, r.Local)
}

func TestBuffersMayOverlap(t *testing.T) {
	const source = `__kernel void next(__global const int *in, __global int *out) { int i = get_global_id(0); out[i] = in[i] + 100; }`
	everywhere(t, source, "next", func(t *testing.T, k *simtc.Kernel) {
		b := make([]int32, 64)
		for i := range b {
			b[i] = int32(i)
		}
		require.NoError(t, k.Launch(context.Background(), simtc.NDRange(32), b[:40], b[32:]))
		for i := range 32 {
			require.EqualValues(t, i, b[i])
			require.EqualValues(t, i+100, b[32+i])
		}
		require.NoError(t, k.Launch(context.Background(), simtc.NDRange(64), b, b))
		require.EqualValues(t, 100, b[0])
		require.EqualValues(t, 231, b[63])
	})
}

func TestCompileErrors(t *testing.T) {
	_, err := simtc.Compile("__kernel void f(__global int *p) {\n  *p = q + 1;\n}", simtc.Options{File: "bad.cl"})
	var wrong *simtc.CompileError
	require.ErrorAs(t, err, &wrong)
	require.Equal(t, "bad.cl", wrong.Diagnostics[0].File)
	require.Equal(t, 2, wrong.Diagnostics[0].Line)
	require.Equal(t, 8, wrong.Diagnostics[0].Column)
	require.Contains(t, err.Error(), "bad.cl:2:8: ")
	require.Contains(t, wrong.Detail(), "\n      *p = q + 1;\n           ^\n")

	_, err = simtc.Compile("kernel f {\nb0:\n  %1 = frob\n  return\n}\n", simtc.Options{File: "bad.simt"})
	require.ErrorAs(t, err, &wrong)
	require.Contains(t, err.Error(), "bad.simt:3:")

	for source, want := range map[string]string{
		"int x(){}.": "kernel.cl:1:",
	} {
		_, err = simtc.Compile(source, simtc.Options{})
		require.ErrorContains(t, err, want)
	}
	for _, c := range []struct {
		opt  simtc.Options
		want string
	}{
		{simtc.Options{Strategy: simtc.Strategy{Target: "sse"}}, `unknown target "sse": want one of avx512, avx2, wasm-simd, vir, interp`},
		{simtc.Options{Strategy: simtc.Strategy{Bypass: "some"}}, "unknown bypass"},
		{simtc.Options{Strategy: simtc.Strategy{Linearizer: "magic"}}, "unknown linearizer"},
	} {
		_, err = simtc.Compile("__kernel void f(){}", c.opt)
		require.ErrorContains(t, err, c.want)
	}
}

func TestKernels(t *testing.T) {
	p := compile(t, "__kernel void b(){} __kernel void a(__global const float4 *p, __local int *q, int n){}", simtc.Options{})
	var names []string
	for _, k := range p.Kernels() {
		names = append(names, k.Name())
	}
	require.Equal(t, []string{"b", "a"}, names)
	_, err := p.Kernel("")
	require.ErrorContains(t, err, "several kernels (b, a)")
	_, err = p.Kernel("c")
	require.ErrorContains(t, err, `no kernel "c"; it has b, a`)
	k, err := p.Kernel("a")
	require.NoError(t, err)
	params := k.Params()
	require.Equal(t, "p", params[0].Name)
	require.Equal(t, simtc.GlobalPointer, params[0].Kind)
	require.True(t, params[0].ReadOnly)
	require.Equal(t, 4, params[0].Lanes)
	require.Equal(t, simtc.LocalPointer, params[1].Kind)
	require.Equal(t, simtc.ByValue, params[2].Kind)

	one := compile(t, "__kernel void b(){} __kernel void a(){}", simtc.Options{Kernels: []string{"a"}})
	require.Len(t, one.Kernels(), 1)
}

func TestWidths(t *testing.T) {
	p := compile(t, `
__kernel void s(__global float *p) { p[get_global_id(0)] += 1.0f; }
__kernel void d(__global double *p) { p[get_global_id(0)] = p[get_global_id(0)] * 2 + 1; }`, simtc.Options{Strategy: simtc.Strategy{Target: simtc.AVX512}})
	for name, want := range map[string][]int{"s": {16, 32, 64}, "d": {16, 32, 64}} {
		k, err := p.Kernel(name)
		require.NoError(t, err)
		w, err := k.Width()
		require.NoError(t, err)
		require.Contains(t, want, w, name)
	}
	k, err := p.Kernel("s")
	require.NoError(t, err)
	_, err = k.With(simtc.Strategy{Target: simtc.WASM, Width: 2})
	require.ErrorContains(t, err, "target wasm-simd does not support width 2: want one of 1 4 8 16 32 64")
	_, err = k.With(simtc.Strategy{Target: "sse", Width: 8})
	require.ErrorContains(t, err, "unknown target")
}

func TestIncludesAndMacros(t *testing.T) {
	p := compile(t, "#include \"lib/add.h\"\n__kernel void f(__global int *p) { *p = ADD(N, 1); }", simtc.Options{
		File: "dir/f.cl", Defines: []string{"N=41"},
		Include: func(name, from string, angled bool) (string, string, error) {
			if name != "lib/add.h" || from != "dir/f.cl" || angled {
				return "", "", errors.New("unexpected")
			}
			return "dir/lib/add.h", "#define ADD(a, b) ((a) + (b))\n", nil
		},
	})
	k, err := p.Kernel("f")
	require.NoError(t, err)
	b := []int32{0}
	require.NoError(t, k.Launch(context.Background(), simtc.NDRange(1), b))
	require.EqualValues(t, 42, b[0])
}

// An endless file, such as /dev/zero, is an error.
func TestHugeInclude(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "huge.h")
	require.NoError(t, os.WriteFile(path, nil, 0o644))
	require.NoError(t, os.Truncate(path, 64<<20+1))
	_, err := simtc.Compile("#include \"huge.h\"\n", simtc.Options{File: filepath.Join(dir, "k.cl")})
	require.ErrorContains(t, err, "it has more than 67108864 bytes")
}

func TestEveryKindIsEmittedAlike(t *testing.T) {
	const source = `
__constant int table[4] = {1, 2, 3, 4};
__kernel void walk(__global uint *p) { uint n = p[get_global_id(0)]; while (n & 3) n += table[n & 3]; p[get_global_id(0)] = n; }
__kernel void two(__global float *p) { p[get_global_id(0)] *= 2; }`
	for _, kind := range simtc.EmitKinds() {
		first, err := compile(t, source, simtc.Options{File: "walk.cl"}).Emit(kind.Name)
		require.NoError(t, err, kind.Name)
		require.NotEmpty(t, first, kind.Name)
		again, err := compile(t, source, simtc.Options{File: "walk.cl"}).Emit(kind.Name)
		require.NoError(t, err)
		require.Equal(t, string(first), string(again), kind.Name)
	}
	p := compile(t, source, simtc.Options{Strategy: simtc.Strategy{Target: simtc.Interpreter}})
	_, err := p.Emit("llvm")
	require.ErrorContains(t, err, "unknown emit kind")
	for _, k := range p.Kernels() {
		text, err := k.Emit("vir")
		require.NoError(t, err)
		require.Contains(t, string(text), k.Name())
	}
}

// TestKernelIRIsInput checks that emitted kernel IR compiles to the same program.
func TestKernelIRIsInput(t *testing.T) {
	const source = `
__constant uchar table[5] = {9, 8, 7, 6, 5};
__kernel void f(__global uint *p, uint n) { uint i = get_global_id(0); p[i] = table[i % n]; }`
	text, err := compile(t, source, simtc.Options{}).Emit("kernel")
	require.NoError(t, err)
	p := compile(t, string(text), simtc.Options{File: "f.simt"})
	again, err := p.Emit("kernel")
	require.NoError(t, err)
	require.Equal(t, string(text), string(again))
	k, err := p.Kernel("f")
	require.NoError(t, err)
	out := make([]uint32, 7)
	require.NoError(t, k.Launch(context.Background(), simtc.NDRange(7), out, 5))
	require.Equal(t, []uint32{9, 8, 7, 6, 5, 9, 8}, out)
	_, err = p.Emit("ast")
	require.ErrorContains(t, err, "has no syntax tree")
}

func TestConcurrentUse(t *testing.T) {
	const source = `__kernel void f(__global int *p, int v) { p[get_global_id(0)] = v; }`
	p := compile(t, source, simtc.Options{})
	var wg sync.WaitGroup
	for i := range 16 {
		wg.Go(func() {
			k, err := p.Kernel("f")
			if err == nil {
				k, err = k.With(simtc.Strategy{Target: []string{simtc.WASM, simtc.VIR, simtc.Interpreter, ""}[i%4]})
			}
			b := make([]int32, 100)
			for range 3 {
				if err == nil {
					err = k.Launch(context.Background(), simtc.NDRange(100), b, i+1)
				}
			}
			if err != nil || b[99] != int32(i+1) {
				t.Errorf("launch %d: %v, %d", i, err, b[99])
			}
		})
	}
	wg.Wait()
}

func TestCancel(t *testing.T) {
	const source = `__kernel void spin(__global int *p) { while (p[get_global_id(0)] == 0) {} }`
	everywhere(t, source, "spin", func(t *testing.T, k *simtc.Kernel) {
		ctx, cancel := context.WithTimeout(context.Background(), 5*time.Millisecond)
		defer cancel()
		err := k.Launch(ctx, simtc.NDRange(40), make([]int32, 40))
		require.ErrorIs(t, err, context.DeadlineExceeded)
		done, cancel := context.WithCancel(context.Background())
		cancel()
		require.ErrorIs(t, k.Launch(done, simtc.NDRange(40), make([]int32, 40)), context.Canceled)
	})
}

func TestFaultsAreErrors(t *testing.T) {
	const source = `__kernel void wild(__global int *p, ulong at) { *(__global int *)(at + get_global_id(0)) = *p; }`
	everywhere(t, source, "wild", func(t *testing.T, k *simtc.Kernel) {
		b := []int32{1}
		err := k.Launch(context.Background(), simtc.NDRange(1), b, uint64(0xFFFF_FFF8))
		require.ErrorContains(t, err, "kernel wild: ")
	})
}

func TestClosedPrograms(t *testing.T) {
	p, err := simtc.Compile("__kernel void f(__global int *p) { *p = 1; }", simtc.Options{})
	require.NoError(t, err)
	k, err := p.Kernel("f")
	require.NoError(t, err)
	b := []int32{0}
	require.NoError(t, k.Launch(context.Background(), simtc.NDRange(1), b))
	require.NoError(t, p.Close())
	require.NoError(t, p.Close())
}

func TestSlicesOfArraysAndBytes(t *testing.T) {
	const source = `__kernel void sum(__global const float4 *p, __global float *out) {
  float4 v = p[get_global_id(0)]; out[get_global_id(0)] = v.x + v.y + v.z + v.w; }`
	everywhere(t, source, "sum", func(t *testing.T, k *simtc.Kernel) {
		in := [][4]float32{{1, 2, 3, 4}, {5, 6, 7, 8}}
		out := make([]float32, 2)
		require.NoError(t, k.Launch(context.Background(), simtc.NDRange(2), in, out))
		require.Equal(t, []float32{10, 26}, out)
		raw := unsafe.Slice((*byte)(unsafe.Pointer(&in[0])), 32)
		clear(out)
		require.NoError(t, k.Launch(context.Background(), simtc.NDRange(2), raw, out))
		require.Equal(t, []float32{10, 26}, out)
	})
}
