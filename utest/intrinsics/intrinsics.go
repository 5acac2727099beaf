// Package intrinsics has kernels as they are written by hand for AVX-512, in C, and the same
// in OpenCL C: what a compiler of the latter is measured against. They are run by the
// runner of package opencl, linked with a driver that knows them by name.
//
// The package must not import any compiler package.
package intrinsics

import (
	"embed"
	"slices"
	"strings"

	"github.com/simtc/simtc/utest/opencl"
)

// Kernels are the kernels in OpenCL C, each with the run line that the C is written for.
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

// Runner runs the kernels written by hand.
func Runner() *opencl.Runner {
	r := &opencl.Runner{Name: "intrinsics", Sources: map[string][]byte{}, Flags: []string{"-O3", "-march=native", `-DFLAGS="-O3 -march=native"`}}
	files, _ := sources.ReadDir("runner")
	for _, f := range files {
		r.Sources[f.Name()], _ = sources.ReadFile("runner/" + f.Name())
	}
	return r
}
