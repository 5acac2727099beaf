// Package intrinsics holds kernels written by hand in C for AVX-512 and AVX2, and the same kernels
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

// Set is a set of handwritten kernels for one instruction set.
type Set struct {
	file  string
	flags string   // of the C compiler
	names []string // sorted; nil: all
}

// The sets.
var (
	AVX512 = &Set{file: "avx512.c", flags: "-O3 -march=native"}
	AVX2   = &Set{file: "avx2.c", flags: "-O3 -march=x86-64-v3", names: []string{"blur", "mandelbrot", "nbody", "sobel"}}
)

// Names lists the kernels, sorted.
func (s *Set) Names() []string {
	if s.names != nil {
		return s.names
	}
	files, _ := Kernels.ReadDir("kernels")
	var out []string
	for _, f := range files {
		out = append(out, strings.TrimSuffix(f.Name(), ".cl"))
	}
	slices.Sort(out)
	return out
}

// Runner runs the handwritten kernels.
func (s *Set) Runner() *opencl.Runner {
	r := &opencl.Runner{Name: "intrinsics", Sources: map[string][]byte{}, Flags: append(strings.Fields(s.flags), `-DFLAGS="`+s.flags+`"`)}
	for _, name := range []string{"driver.c", "launch.h", s.file} {
		r.Sources[name], _ = sources.ReadFile("runner/" + name)
	}
	return r
}
