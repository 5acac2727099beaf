package simtc_test

import (
	"context"
	"fmt"
	"log"
	"time"

	"github.com/simtc/simtc"
)

func Example() {
	prog, err := simtc.Compile(`
__kernel void collatz(__global uint *steps) {
  uint n = get_global_id(0) + 1, k = 0;
  for (; n != 1; k++)
    n = n & 1 ? 3 * n + 1 : n / 2;
  steps[get_global_id(0)] = k;
}`, simtc.Options{File: "collatz.cl"})
	if err != nil {
		log.Fatal(err)
	}
	defer prog.Close()
	kernel, err := prog.Kernel("collatz")
	if err != nil {
		log.Fatal(err)
	}
	steps := make([]uint32, 27)
	if err := kernel.Launch(context.Background(), simtc.NDRange(27), steps); err != nil {
		log.Fatal(err)
	}
	fmt.Println(steps)
	// Output: [0 1 7 2 5 8 16 3 19 6 14 9 9 17 17 4 12 20 20 7 7 15 15 10 23 10 111]
}

func ExampleKernel_Launch() {
	prog, err := simtc.Compile(`
__kernel void saxpy(float a, __global const float *x, __global float *y) {
  size_t i = get_global_id(0);
  y[i] += a * x[i];
}`, simtc.Options{})
	if err != nil {
		log.Fatal(err)
	}
	defer prog.Close()
	kernel, err := prog.Kernel("saxpy")
	if err != nil {
		log.Fatal(err)
	}
	x, y := []float32{1, 2, 3}, []float32{10, 20, 30}
	err = kernel.Launch(context.Background(), simtc.NDRange(3), 2, x, y)
	fmt.Println(y, err)
	err = kernel.Launch(context.Background(), simtc.NDRange(3), 2, x, []int{1, 2, 3})
	fmt.Println(err)
	// Output:
	// [12 24 36] <nil>
	// kernel saxpy: argument 2 (__global float * y): wants a slice of float32, got []int
}

func ExampleKernel_Tune() {
	prog, err := simtc.Compile(`
__kernel void scale(__global float *x, float a) {
  x[get_global_id(0)] *= a;
}`, simtc.Options{})
	if err != nil {
		log.Fatal(err)
	}
	defer prog.Close()
	kernel, err := prog.Kernel("scale")
	if err != nil {
		log.Fatal(err)
	}
	x, r, ctx := []float32{1, 2, 3}, simtc.NDRange(3), context.Background()
	err = kernel.Tune(ctx, 10*time.Millisecond, r, x, 3)
	fmt.Println(x, err)
	err = kernel.Launch(ctx, r, x, 3)
	fmt.Println(x, err)
	// Output:
	// [1 2 3] <nil>
	// [3 6 9] <nil>
}

func ExampleCompileError() {
	_, err := simtc.Compile("__kernel void f(__global int *p) {\n  p[0] = x;\n}\n", simtc.Options{File: "f.cl"})
	fmt.Println(err)
	// Output: f.cl:2:10: undeclared identifier 'x'
}

func ExampleKernel_Emit() {
	prog, err := simtc.Compile("__kernel void f(__global int *p) { p[get_global_id(0)] = 7; }", simtc.Options{})
	if err != nil {
		log.Fatal(err)
	}
	defer prog.Close()
	kernel, err := prog.Kernel("f")
	if err != nil {
		log.Fatal(err)
	}
	text, err := kernel.Emit("kernel")
	fmt.Printf("%s%v\n", text, err)
	// Output:
	// kernel f {
	//   prepared
	//   arg p buffer ptr.global int 1 "__global int *"
	// b0.entry:
	//   %p.0 = arg.ptr.global 0
	//   %1 = globalid 0
	//   %2 = shl.i64 %1, 2
	//   %3 = ptradd.ptr.global %p.0, %2
	//   store.i32 %3, 7 align 4
	//   return
	// }
	// <nil>
}
