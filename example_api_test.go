package simtc_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"log"
	"slices"
	"strings"

	"github.com/simtc/simtc"
)

// build compiles the only kernel of a source.
func build(source string, opt simtc.Options) *simtc.Kernel {
	prog, err := simtc.Compile(source, opt)
	if err != nil {
		log.Fatal(err)
	}
	kernel, err := prog.Kernel("")
	if err != nil {
		log.Fatal(err)
	}
	return kernel
}

const square = `__kernel void square(__global float *x) { size_t i = get_global_id(0); x[i] *= x[i]; }`

func ExampleCompile() {
	prog, err := simtc.Compile(`
#include "size.h"
__kernel void fill(__global int *p) { p[get_global_id(0)] = SIZE + EXTRA; }`, simtc.Options{
		File: "fill.cl", Defines: []string{"EXTRA=2"},
		Include: func(name, from string, angled bool) (path, text string, err error) {
			return name, "#define SIZE 40\n", nil
		},
	})
	if err != nil {
		log.Fatal(err)
	}
	defer prog.Close()
	kernel, err := prog.Kernel("fill")
	if err != nil {
		log.Fatal(err)
	}
	p := make([]int32, 2)
	err = kernel.Launch(context.Background(), simtc.NDRange(2), p)
	fmt.Println(p, err)
	// Output: [42 42] <nil>
}

func ExampleNDRange() {
	r := simtc.NDRange(640, 480).WithLocal(16, 8).WithOffset(0, 20)
	fmt.Println(r.Dims, r.Global, r.Local, r.Offset)
	// Output: 2 [640 480 0] [16 8 0] [0 20 0]
}

func ExampleTargets() {
	for _, target := range simtc.Targets() {
		fmt.Println(target, simtc.Widths(target), simtc.DefaultEmit(target))
	}
	// Output:
	// avx512 [1 4 8 16 32 64] asm
	// avx2 [1 4 8 16 32 64] asm
	// wasm-simd [1 4 8 16 32 64] wat
	// vir [1 4 8 16 32 64] vir
	// interp [] kernel
}

func ExampleWidths() {
	fmt.Println(simtc.Widths(simtc.WASM))
	// Output: [1 4 8 16 32 64]
}

func ExampleDefaultEmit() {
	fmt.Println(simtc.DefaultEmit(simtc.AVX512))
	// Output: asm
}

func ExampleIsNative() {
	fmt.Println(simtc.IsNative(simtc.AVX512), simtc.IsNative(simtc.WASM))
	// Output: true false
}

func ExampleInEngine() {
	fmt.Println(simtc.InEngine(simtc.AVX512), simtc.InEngine(simtc.WASM))
	// Output: false true
}

func ExampleAvailable() {
	fmt.Println(simtc.Available(simtc.Interpreter))
	if err := simtc.Available(simtc.AVX512); err != nil {
		// The default target is then WASM.
	}
	fmt.Println(simtc.Available("sse"))
	// Output:
	// <nil>
	// unknown target "sse": want one of avx512, avx2, wasm-simd, vir, interp
}

func ExampleLinearizers() {
	kernel := build(square, simtc.Options{})
	defer kernel.Program().Close()
	for _, name := range simtc.Linearizers() {
		x := []float32{3}
		k, err := kernel.With(simtc.Strategy{Target: simtc.VIR, Linearizer: name, Width: 8})
		if err != nil {
			log.Fatal(err)
		}
		err = k.Launch(context.Background(), simtc.NDRange(1), x)
		fmt.Println(name, x, err)
	}
	// Output:
	// partial [9] <nil>
	// blockip [9] <nil>
}

func ExampleBypasses() {
	fmt.Println(simtc.Bypasses())
	// Output: [zeros none both ones all fold]
}

func ExampleLaneDims() {
	fmt.Println(simtc.LaneDims())
	// Output: [0 1 2 rows]
}

func ExampleDivergences() {
	fmt.Println(simtc.Divergences())
	// Output: [mask defer refill]
}

func ExampleScalars() {
	fmt.Println(simtc.Scalars())
	// Output: [threaded switch selects]
}

func ExampleEngines() {
	fmt.Println(simtc.Engines())
	// Output: [plain optimized]
}

func ExampleEngine() {
	name := simtc.Engine()
	fmt.Println(name == "wasmtime" || name == "wazero" || name == "the browser")
	// Output: true
}

func ExampleProcessors() {
	for _, name := range simtc.Processors() {
		kernel := build(square, simtc.Options{Strategy: simtc.Strategy{Target: simtc.AVX512}, Processor: name})
		costs, err := kernel.Costs()
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(name, len(costs) > 1)
		kernel.Program().Close()
	}
	// Output:
	// zen4 true
	// zen5 true
	// goldencove true
	// zen3 true
	// gracemont true
}

func ExamplePasses() {
	stages := map[string]int{}
	for _, p := range simtc.Passes() {
		stages[p.Stage]++
		if p.Name == "meld" {
			fmt.Println(p.Stage, p.Name, "after", p.After)
		}
	}
	fmt.Println(stages["scalar"] > 20, stages["vector"] > 20)
	// Output:
	// lanes meld after [analyze]
	// true true
}

func ExampleEmitKinds() {
	for _, kind := range simtc.EmitKinds() {
		if slices.Contains(kind.Targets, simtc.WASM) {
			fmt.Printf("%s: %s\n", kind.Name, kind.About)
		}
	}
	// Output:
	// wasm: a WebAssembly module
	// wat: a WebAssembly module in text form
}

func ExampleBuffer() {
	kernel := build(square, simtc.Options{})
	defer kernel.Program().Close()
	b := make([]byte, 8) // memory of any origin, such as a mapped file
	binary.LittleEndian.PutUint32(b[4:], 0x40400000)
	err := kernel.Launch(context.Background(), simtc.NDRange(2), simtc.Buffer(b))
	fmt.Printf("%#x %v\n", binary.LittleEndian.Uint32(b[4:]), err)
	// Output: 0x41100000 <nil>
}

func ExampleBytes() {
	kernel := build(`typedef struct { int a; char b; } S;
__kernel void get(S s, __global int *out) { *out = s.a * s.b; }`, simtc.Options{})
	defer kernel.Program().Close()
	out := make([]int32, 1)
	err := kernel.Launch(context.Background(), simtc.NDRange(1), simtc.Bytes([]byte{21, 0, 0, 0, 2, 0, 0, 0}), out)
	fmt.Println(out, err)
	// Output: [42] <nil>
}

func ExampleLocalMemory() {
	kernel := build(`__kernel void reverse(__global int *p, __local int *l) {
	int i = get_local_id(0);
	l[i] = p[i];
	barrier(CLK_LOCAL_MEM_FENCE);
	p[i] = l[get_local_size(0) - 1 - i];
}`, simtc.Options{})
	defer kernel.Program().Close()
	p := []int32{1, 2, 3, 4}
	err := kernel.Launch(context.Background(), simtc.NDRange(4).WithLocal(4), p, simtc.LocalMemory(16))
	fmt.Println(p, err)
	// Output: [4 3 2 1] <nil>
}

func ExampleImageArg() {
	kernel := build(`__kernel void sum(read_only image2d_t im, __global float *out) {
	const sampler_t s = CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST;
	float4 t = read_imagef(im, s, (int2)(1, 0));
	out[0] = t.x + t.y + t.z + t.w;
}`, simtc.Options{})
	defer kernel.Program().Close()
	im := simtc.Image{Width: 2, Height: 1, Order: simtc.OrderRGBA, Type: simtc.TypeUNorm8, Data: []byte{0, 0, 0, 0, 255, 0, 255, 255}}
	out := make([]float32, 1)
	err := kernel.Launch(context.Background(), simtc.NDRange(1), simtc.ImageArg(im), out)
	fmt.Println(out, err)
	// Output: [3] <nil>
}

func ExampleRemarkKinds() {
	for _, k := range simtc.RemarkKinds() {
		if k.Name == "gather" {
			fmt.Println(k.About)
		}
	}
	// Output: a load from a separate address per lane
}

const indirect = `__kernel void pick(__global const int *index, __global const float *x, __global float *y) {
	size_t i = get_global_id(0);
	y[i] = x[index[i]];
}`

func ExampleRemarksOf() {
	kernel := build(indirect, simtc.Options{File: "pick.cl", Strategy: simtc.Strategy{Target: simtc.VIR, Width: 16}})
	defer kernel.Program().Close()
	rs, err := simtc.RemarksOf([]*simtc.Kernel{kernel})
	if err != nil {
		log.Fatal(err)
	}
	for _, r := range rs {
		if r.Kind == "gather" {
			fmt.Println(r.Line, r.Kind, strings.HasPrefix(r.Text, "gather of 16 f32 from `x`"))
		}
	}
	// Output: 3 gather true
}

func ExampleChooseRemarks() {
	kernel := build(indirect, simtc.Options{Strategy: simtc.Strategy{Target: simtc.VIR, Width: 16}})
	defer kernel.Program().Close()
	all, err := kernel.Remarks()
	if err != nil {
		log.Fatal(err)
	}
	gathers, err := simtc.ChooseRemarks(all, "gather, scatter")
	fmt.Println(len(gathers), err)
	_, err = simtc.ChooseRemarks(all, "nosuch")
	fmt.Println(err != nil)
	// Output:
	// 1 <nil>
	// true
}

func ExampleKernel_With() {
	kernel := build(square, simtc.Options{})
	defer kernel.Program().Close()
	k, err := kernel.With(simtc.Strategy{Target: simtc.WASM, Width: 4, Linearizer: simtc.Partial, Bypass: simtc.BypassNone})
	if err != nil {
		log.Fatal(err)
	}
	s, err := k.Strategy()
	fmt.Println(s, err)
	// Output: wasm-simd partial bypass=none x4 <nil>
}

func ExampleKernel_Checked() {
	kernel := build(`__kernel void shift(__global int *p, __global const int *by) {
	size_t i = get_global_id(0);
	p[i + by[i]] = 1;
}`, simtc.Options{File: "shift.cl"}).Checked()
	defer kernel.Program().Close()
	err := kernel.Launch(context.Background(), simtc.NDRange(2), make([]int32, 2), []int32{0, 5})
	var fault *simtc.Fault
	if errors.As(err, &fault) {
		fmt.Println(fault.File, fault.Line, fault.Kernel)
	}
	// Output: shift.cl 3 shift
}

func ExampleKernel_WithOutput() {
	kernel := build(`__kernel void hello(void) { printf("hello from %d\n", (int)get_global_id(0)); }`, simtc.Options{})
	defer kernel.Program().Close()
	var out bytes.Buffer
	err := kernel.WithOutput(&out).Launch(context.Background(), simtc.NDRange(2))
	fmt.Print(out.String(), err)
	// Output:
	// hello from 0
	// hello from 1
	// <nil>
}

func ExampleKernel_Params() {
	kernel := build(indirect, simtc.Options{})
	defer kernel.Program().Close()
	for _, p := range kernel.Params() {
		fmt.Println(p.Name, p.Type, p.ReadOnly, p.TakesElements("float"))
	}
	// Output:
	// index __global const int * true false
	// x __global const float * true true
	// y __global float * false true
}

func ExampleKernel_Profile() {
	kernel := build(`__kernel void evens(__global int *p) {
	int i = get_global_id(0);
	if (i % 2 == 0)
		for (int k = 0; k < 100; k++)
			p[i] = p[i] * 3 + k;
}`, simtc.Options{Strategy: simtc.Strategy{Target: simtc.VIR, Width: 16, Divergence: simtc.Mask}})
	defer kernel.Program().Close()
	p, err := kernel.Profile(context.Background(), simtc.NDRange(1600), make([]int32, 1600))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%.0f%% of the lanes are active\n", 100*p.Efficiency())
	// Output: 50% of the lanes are active
}

func ExampleKernel_Alloc() {
	kernel := build(square, simtc.Options{Strategy: simtc.Strategy{Target: simtc.WASM}})
	defer kernel.Program().Close()
	b, err := kernel.Alloc(4 << 10) // launches do not copy this buffer
	if err != nil {
		log.Fatal(err)
	}
	defer kernel.Free(b)
	err = kernel.Launch(context.Background(), simtc.NDRange(1<<10), b)
	fmt.Println(len(b), err)
	// Output: 4096 <nil>
}

func ExampleProgram_Reset() {
	prog, err := simtc.Compile(`__global int count = 10;
__kernel void tick(__global int *out) { *out = ++count; }`, simtc.Options{Std: "3.0"})
	if err != nil {
		log.Fatal(err)
	}
	defer prog.Close()
	kernel, err := prog.Kernel("tick")
	if err != nil {
		log.Fatal(err)
	}
	ctx, out := context.Background(), make([]int32, 1)
	for range 3 {
		if err := kernel.Launch(ctx, simtc.NDRange(1), out); err != nil {
			log.Fatal(err)
		}
	}
	fmt.Println(out)
	err = errors.Join(prog.Reset(ctx), kernel.Launch(ctx, simtc.NDRange(1), out))
	fmt.Println(out, err)
	// Output:
	// [13]
	// [11] <nil>
}

func ExampleProgram_Warnings() {
	prog, err := simtc.Compile("#pragma nosuch\n"+square, simtc.Options{File: "square.cl"})
	if err != nil {
		log.Fatal(err)
	}
	defer prog.Close()
	for _, w := range prog.Warnings() {
		fmt.Printf("%s:%d: %s\n", w.File, w.Line, w.Message)
	}
	// Output: square.cl:1: unknown #pragma 'nosuch' is ignored
}

func ExampleProgram_FormatRemarks() {
	prog, err := simtc.Compile(indirect, simtc.Options{File: "pick.cl", Strategy: simtc.Strategy{Target: simtc.VIR, Width: 16}})
	if err != nil {
		log.Fatal(err)
	}
	defer prog.Close()
	all, err := prog.Remarks()
	if err != nil {
		log.Fatal(err)
	}
	gathers, err := simtc.ChooseRemarks(all, "gather")
	if err != nil {
		log.Fatal(err)
	}
	lines := strings.Split(prog.FormatRemarks(gathers), "\n")
	fmt.Println(strings.Join(lines[:2], "\n"))
	// Output:
	// y[i] = x[index[i]];
	//          ^
}
