//go:build cgo && linux

package main

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/simtc/simtc/opencl/cl"
)

var (
	update = flag.Bool("update", false, "rewrite docs/opencl.md")
	shared = flag.Bool("shared", false, "also build the driver as a shared library, and run C programs on it")
	asan   = flag.Bool("asan", false, "with -shared, build the library and the programs with the address sanitizer")
)

// TestHandlers checks that every handler belongs to a function and has the right form.
func TestHandlers(t *testing.T) {
	byName := map[string]cl.Function{}
	for _, f := range cl.Functions {
		byName[f.Name] = f
	}
	for name, h := range handlers {
		f, ok := byName[name]
		require.True(t, ok, name)
		want := map[cl.Returns]any{cl.Status: func(args) error { return nil }, cl.Object: func(args) (uintptr, error) { return 0, nil }, cl.Pointer: func(args) uintptr { return 0 }, cl.Nothing: func(args) {}}[f.Returns]
		require.IsType(t, want, h, name)
	}
	// Everything of a version is there, or answers with an error of its own.
	for _, f := range cl.Functions {
		if f.Version != "" {
			require.Contains(t, handlers, f.Name)
		}
	}
}

// TestWrongCalls calls every function with null and foreign handles, as programs do that are
// wrong.
func TestWrongCalls(t *testing.T) {
	platform()
	fine := map[string]bool{"clUnloadCompiler": true, "clGetExtensionFunctionAddress": true, "clGetExtensionFunctionAddressForPlatform": true}
	for i, f := range cl.Functions {
		for _, handle := range []uint64{0, 0xdead0} {
			a := make(args, max(f.Params, 1))
			a[0] = handle
			status := int32(0)
			if f.Returns == cl.Object {
				a[f.Params-1] = addressOf(&status)
			}
			if handle != 0 && (f.Name == "clGetPlatformIDs" || f.Name == "clIcdGetPlatformIDsKHR" || strings.HasPrefix(f.Name, "clCreateContext") || f.Name == "clWaitForEvents") {
				continue // its first parameter is no handle
			}
			result := calls[i](a)
			switch {
			case fine[f.Name]:
			case f.Returns == cl.Status:
				require.Negative(t, int32(result), "%s(%#x)", f.Name, handle)
			case f.Returns == cl.Object:
				require.Zero(t, result, f.Name)
				require.Negative(t, status, "%s(%#x)", f.Name, handle)
			default:
				require.Zero(t, result, f.Name)
			}
		}
	}
}

// TestReleasedHandles checks that a released handle is an error, and is not used again soon.
func TestReleasedHandles(t *testing.T) {
	p := platform()
	number := func(name string) int {
		for i, f := range cl.Functions {
			if f.Name == name {
				return i
			}
		}
		panic(name)
	}
	device := a0(p.Device())
	code := int32(0)
	context := calls[number("clCreateContext")](args{0, 1, addressOf(&device), 0, 0, addressOf(&code)})
	require.Zero(t, code)
	seen := map[uint64]bool{}
	for range 3000 {
		m := calls[number("clCreateBuffer")](args{context, 0, 64, 0, addressOf(&code)})
		require.Zero(t, code)
		require.False(t, seen[m])
		seen[m] = true
		require.Zero(t, int32(calls[number("clReleaseMemObject")](args{m})))
		require.EqualValues(t, cl.INVALID_MEM_OBJECT, int32(calls[number("clReleaseMemObject")](args{m})))
	}
}

// TestPrograms builds the driver and runs C programs on it: api.c calls every function through
// the loader, direct.c loads the driver itself. It runs on request: a shared library compiles the
// standard library again.
func TestPrograms(t *testing.T) {
	if !*shared {
		t.Skip("NOT TESTED: the driver as a shared library; -shared builds it")
	}
	if _, err := exec.LookPath("gcc"); err != nil {
		t.Skip("SKIPPED: gcc is not installed")
	}
	dir := t.TempDir()
	run := func(name string, arguments ...string) (string, error) {
		cmd := exec.Command(name, arguments...)
		cmd.Env = append(os.Environ(), "OCL_ICD_VENDORS="+dir, "SIMTC_TIMEOUT=1s", "ASAN_OPTIONS=detect_leaks=0")
		out, err := cmd.CombinedOutput()
		return string(out), err
	}
	must := func(name string, arguments ...string) string {
		out, err := run(name, arguments...)
		require.NoError(t, err, "%s %s:\n%s", name, strings.Join(arguments, " "), out)
		return out
	}
	library := filepath.Join(dir, "libsimtc-opencl.so")
	gcc, sanitizer := []string{"-Wall", "-O1", "-g"}, "-asan=false"
	if *asan {
		gcc, sanitizer = append(gcc, "-fsanitize=address"), "-asan"
	}
	must("go", "build", sanitizer, "-tags=nowasmtime", "-buildmode=c-shared", "-o", library, ".")
	require.NoError(t, os.WriteFile(filepath.Join(dir, "simtc.icd"), []byte(library+"\n"), 0o644))

	must("gcc", append(gcc, "-o", filepath.Join(dir, "direct"), "testdata/direct.c", "-ldl")...)
	require.Equal(t, "simtc\n", must(filepath.Join(dir, "direct"), library))

	if out, err := run("gcc", append(gcc, "-Werror", "-o", filepath.Join(dir, "api"), "testdata/api.c", "-lOpenCL", "-lpthread")...); err != nil {
		if strings.Contains(out, "CL/cl.h") || strings.Contains(out, "-lOpenCL") {
			t.Skip("SKIPPED: the headers or the loader of OpenCL are not installed (apt-get install ocl-icd-opencl-dev)")
		}
		t.Fatal(out)
	}
	require.Equal(t, "before\nkernel 0\nkernel 1\nafter\nbefore\nafter\nall functions passed\n", must(filepath.Join(dir, "api")))
}

// TestProgramCallsEverything checks that api.c calls every supported function.
func TestProgramCallsEverything(t *testing.T) {
	text, err := os.ReadFile("testdata/api.c")
	require.NoError(t, err)
	for _, f := range cl.Functions {
		if handlers[f.Name] != nil && f.Name != "clIcdGetPlatformIDsKHR" {
			require.Regexp(t, `\b`+f.Name+`\b`, string(text))
		}
	}
}

// TestPage compares the tables of docs/opencl.md with the functions and extensions.
func TestPage(t *testing.T) {
	const page = "../../docs/opencl.md"
	text, err := os.ReadFile(page)
	require.NoError(t, err)
	sections := map[string]string{"functions": functionTable(), "extensions": extensionTable()}
	out := string(text)
	for name, table := range sections {
		re := regexp.MustCompile(`(?s)(<!-- ` + name + ` -->\n).*?(<!-- end -->)`)
		require.Regexp(t, re, out)
		out = re.ReplaceAllString(out, "${1}"+table+"${2}")
	}
	if *update {
		require.NoError(t, os.WriteFile(page, []byte(out), 0o644))
	}
	require.Equal(t, out, string(text), "refresh by go test ./opencl/driver -run TestPage -update")
}

// without lists functions that are there for the loader and always fail, because the device lacks
// the feature.
var without = map[string]bool{
	"clCreatePipe": true, "clGetPipeInfo": true, "clCreateProgramWithIL": true, "clSetProgramSpecializationConstant": true,
	"clSetProgramReleaseCallback": true, "clSetDefaultDeviceCommandQueue": true, "clSetCommandQueueProperty": true,
	"clCreateProgramWithBuiltInKernels": true,
}

func functionTable() string {
	var b strings.Builder
	b.WriteString("| since | functions |\n|---|---|\n")
	groups := map[string][]string{}
	var order []string
	for _, f := range cl.Functions {
		group := f.Version
		switch {
		case handlers[f.Name] == nil:
			group = "not supported: extensions that the device lacks"
		case without[f.Name]:
			group = "not supported: features that the device lacks"
		case group == "":
			group = "`" + f.Extension + "`"
		}
		if groups[group] == nil {
			order = append(order, group)
		}
		groups[group] = append(groups[group], strings.TrimPrefix(f.Name, "cl"))
	}
	for _, g := range order {
		fmt.Fprintf(&b, "| %s | %s |\n", g, strings.Join(groups[g], " "))
	}
	return b.String()
}

func extensionTable() string {
	var names []string
	for _, e := range platform().Device().Extensions() {
		names = append(names, "`"+e.Name+"`")
	}
	return strings.Join(names, ", ") + ".\n"
}
