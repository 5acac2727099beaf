// Package simtc compiles OpenCL C kernels for the vector units of CPUs and runs them. Each SIMD
// lane runs one work-item, whatever the control flow. The code is AVX-512 machine code, which runs
// in the process without cgo, or WebAssembly SIMD, which runs in an engine.
//
// # Programs and kernels
//
// Compile checks a source and returns a Program. Program.Kernel returns one of its kernels by name.
//
//	prog, err := simtc.Compile(source, simtc.Options{File: "saxpy.cl"})
//	kernel, err := prog.Kernel("saxpy")
//
// Options has the macros, include paths and the version of OpenCL C, as for clBuildProgram. Code is
// generated on the first launch, or by Kernel.Build.
//
// # Launches
//
// Launch runs a kernel over an NDRange on all cores and returns when all work-items are done:
//
//	err = kernel.Launch(ctx, simtc.NDRange(1<<20), float32(2), x, y)
//
// There is one argument for each parameter: slices for pointers, numbers for scalars, arrays for
// vectors, structs, images and samplers. Buffer, Bytes, LocalMemory and ImageArg make explicit ones.
// Native code accesses slices in place; WebAssembly does so for memory from Kernel.Alloc and copies
// others.
//
// # Errors
//
// A CompileError has the locations of the mistakes in a program, an OptionsError is about Options. A
// launch whose work-items cannot continue returns a Fault with the location in the source; one whose
// context ends returns a Stopped. Launches never end the process. With Options.Checked every access
// is tested against the bounds of its buffer.
//
// # Targets and strategies
//
// Targets lists the targets, Available says which run on this machine. A Strategy selects the
// target, the linearizer, the number of lanes and more. The compiler chooses all fields that are
// left open: it estimates the costs of candidates (Kernel.Costs), and launches compare the closest
// ones on part of the work and continue with the fastest. Kernel.Tune does so ahead of time. Every
// strategy gives the same results.
//
// # Insight
//
// Emit shows a kernel at every stage of the compilation (EmitKinds), Remarks explain the effects of
// divergence by line of the source, and Profile counts the active lanes of each line.
package simtc
