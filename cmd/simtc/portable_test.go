package main

import (
	"errors"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// sums are the lines of a run's output that do not depend on the machine.
func sums(out string) []string {
	return regexp.MustCompile(`(?m)^  arg.*$`).FindAllString(out, -1)
}

// smallRuns are runs whose results every build must have.
var smallRuns = [][]string{
	append([]string{"run", "../../examples/saxpy.cl", "-n", "1", "--target", "wasm-simd"}, saxpyArgs...),
	{"run", "../../examples/collatz.cl", "-n", "1", "--target", "wasm-simd", "-g", "300", "b:uint:300"},
	{"run", "../../examples/irreducible.cl", "-n", "1", "--target", "interp", "-g", "100", "b:uint:100:index,7919", "b:uint:100"},
}

var cross = flag.Bool("cross", false, "also build the command for a 32-bit system, and run it")

// Test32Bits runs the command as a program of a 32-bit system.
func Test32Bits(t *testing.T) {
	if !*cross {
		t.Skip("SKIPPED: -cross builds the command for linux/386")
	}
	if runtime.GOOS != "linux" || runtime.GOARCH != "amd64" {
		t.Skip("SKIPPED: programs for linux/386 run on linux/amd64 only")
	}
	program := filepath.Join(t.TempDir(), "simtc")
	build := exec.Command("go", "build", "-ldflags=-s -w", "-o", program, ".")
	build.Env = append(os.Environ(), "GOARCH=386", "CGO_ENABLED=0")
	out, err := build.CombinedOutput()
	require.NoError(t, err, "%s", out)
	for _, args := range smallRuns {
		out, err := exec.Command(program, args...).CombinedOutput()
		if errors.Is(err, syscall.ENOEXEC) {
			t.Skip("SKIPPED: built, but this system's kernel runs no 32-bit programs")
		}
		require.NoError(t, err, "%s", out)
		require.NotEmpty(t, sums(string(out)), "%s", out)
		require.Equal(t, sums(ok(t, args...)), sums(string(out)))
	}
	for want, args := range map[string][]string{
		"may have 1 to 2130706432 bytes":               {"run", "../../examples/collatz.cl", "-g", "1", "b:uint:1024m"},
		"no room for 2130706432 bytes":                 {"run", "../../examples/collatz.cl", "-g", "1", "b:uint:532676608"},
		"argument 0 \"b:uint:9999999999999999999999\"": {"run", "../../examples/collatz.cl", "-g", "1", "b:uint:9999999999999999999999"},
	} {
		out, err := exec.Command(program, args...).CombinedOutput()
		require.Error(t, err)
		require.Contains(t, string(out), want)
		require.NotContains(t, string(out), "goroutine")
	}
}

// TestLittleAddressSpace runs kernels in a process whose address space cannot hold the
// largest memory that WebAssembly has.
func TestLittleAddressSpace(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("SKIPPED: only Linux limits the address space of a process")
	}
	if os.Getenv("SIMTC_TEST_LIMITED") != "" {
		for _, args := range smallRuns {
			t.Log(ok(t, args...))
		}
		r := simtcRun("run", "../../examples/collatz.cl", "-g", "1", "b:uint:500m", "--target", "wasm-simd")
		require.NotZero(t, r.code)
		require.Regexp(t, "no room for 20971520.. bytes|need 20971..... bytes", r.err)
		return
	}
	c := exec.Command("sh", "-c", `ulimit -v 3500000 && exec "$0" "$@"`, os.Args[0], "-test.run=^TestLittleAddressSpace$", "-test.v")
	c.Env = append(os.Environ(), "SIMTC_TEST_LIMITED=1")
	out, err := c.CombinedOutput()
	require.NoError(t, err, "%s", out)
	var want []string
	for _, args := range smallRuns {
		want = append(want, sums(ok(t, args...))...)
	}
	got := regexp.MustCompile(`(?m)^ +(  arg.*)$`).FindAllStringSubmatch(string(out), -1)
	require.Len(t, got, len(want), "%s", out)
	for i, m := range got {
		require.Equal(t, want[i], m[1])
	}
}
