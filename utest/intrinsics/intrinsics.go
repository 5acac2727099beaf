// Package intrinsics holds kernels written by hand in C for AVX-512, and the same kernels
// in OpenCL C, whose compilers are measured against them. They are run by the runner of
// package opencl, linked with a driver that finds them by name.
//
// The package must not import any compiler package.
package intrinsics

import (
	"embed"
	"slices"
	"strings"

	"github.com/simtc/simtc/utest/opencl"
)

// Kernels are the kernels in OpenCL C, each with the run line that the C code implements.
//
//go:embed kernels/*.cl
var Kernels embed.FS

//go:embed runner
var sources embed.FS

// Names lists the kernels, sorted.
func Names() []string {
	files, _ := Kernels.ReadDir("kernels")
	var out []string
	for _, f := range files {
		out = append(out, strings.TrimSuffix(f.Name(), ".cl"))
	}
	slices.Sort(out)
	return out
}

// Runner runs the handwritten kernels.
func Runner() *opencl.Runner {
	r := &opencl.Runner{Name: "intrinsics", Sources: map[string][]byte{}, Flags: []string{"-O3", "-march=native", `-DFLAGS="-O3 -march=native"`}}
	files, _ := sources.ReadDir("runner")
	for _, f := range files {
		r.Sources[f.Name()], _ = sources.ReadFile("runner/" + f.Name())
	}
	return r
}
