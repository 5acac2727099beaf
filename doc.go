// Package simtc compiles OpenCL C kernels for the vector units of ordinary
// CPUs: one SIMD lane runs one work-item, whatever the control flow. Kernels
// are compiled to AVX-512 machine code and run in the process, without cgo, or
// to WebAssembly SIMD and run in an engine.
//
//	prog, err := simtc.Compile(source, simtc.Options{File: "saxpy.cl"})
//	kernel, err := prog.Kernel("saxpy")
//	err = kernel.Launch(ctx, simtc.NDRange(1<<20), float32(2), x, y)
//
// Buffers are Go slices; native code works on them in place, and so does WebAssembly on
// those that are of its engine's memory (Kernel.Alloc). Every stage of the
// compilation can be looked at with Emit.
package simtc
