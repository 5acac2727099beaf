// Package simtc compiles OpenCL C kernels for the vector units of CPUs. Each SIMD lane runs
// one work-item, whatever the control flow. Kernels are compiled to AVX-512 machine code,
// which runs in the process without cgo, or to WebAssembly SIMD, which runs in an engine.
//
//	prog, err := simtc.Compile(source, simtc.Options{File: "saxpy.cl"})
//	kernel, err := prog.Kernel("saxpy")
//	err = kernel.Launch(ctx, simtc.NDRange(1<<20), float32(2), x, y)
//
// Buffers are Go slices. Native code accesses them in place; WebAssembly does so for buffers
// in its engine's memory (Kernel.Alloc) and copies others. Emit shows every stage of the
// compilation.
package simtc
