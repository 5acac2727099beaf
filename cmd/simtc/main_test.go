package main

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/simtc/simtc"
)

const saxpy = `// y = a*x + y
__kernel void saxpy(float a, __global const float *x, __global float *y) {
  size_t i = get_global_id(0);
  y[i] = a * x[i] + y[i];
}
`

const spin = `__kernel void spin(__global int *p) { while (p[get_global_id(0)] == 0) {} }
`

// file writes a source into a folder of its own.
func file(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	require.NoError(t, os.WriteFile(path, []byte(text), 0o666))
	return path
}

type result struct {
	code     int
	out, err string
}

func simtcWith(ctx context.Context, args ...string) result {
	var out, errs bytes.Buffer
	code := run(ctx, args, &out, &errs)
	return result{code, out.String(), errs.String()}
}

func simtcRun(args ...string) result { return simtcWith(context.Background(), args...) }

// ok runs a command that must succeed quietly.
func ok(t *testing.T, args ...string) string {
	t.Helper()
	r := simtcRun(args...)
	require.Zero(t, r.code, "simtc %s: %s", strings.Join(args, " "), r.err)
	require.Empty(t, r.err)
	return r.out
}

var saxpyArgs = []string{"-k", "saxpy", "-g", "1000", "float:2.5", "b:float:1000:rand,234,-1,1", "b:float:1000:rand,235,-1,1"}

func TestRunJSON(t *testing.T) {
	path := file(t, "saxpy.cl", saxpy)
	var j map[string]any
	out := ok(t, append([]string{"run", "--json", "-n", "3", path, "--head", "2", "--target", "wasm-simd"}, saxpyArgs...)...)
	require.Equal(t, 1, strings.Count(out, "\n"))
	require.NoError(t, json.Unmarshal([]byte(out), &j))
	for _, key := range []string{"kernel", "target", "linearizer", "width", "global", "local", "compile_ms", "n", "min_ms", "median_ms", "max_ms", "cpu_min_ms", "buffers"} {
		require.Contains(t, j, key)
	}
	require.Equal(t, "saxpy", j["kernel"])
	require.Equal(t, "wasm-simd", j["target"])
	require.Equal(t, "partial", j["linearizer"])
	require.Equal(t, []any{1000.0, 1.0, 1.0}, j["global"])
	require.EqualValues(t, 3, j["n"])
	require.Less(t, 0.0, j["min_ms"])
	require.LessOrEqual(t, j["min_ms"], j["median_ms"])
	require.LessOrEqual(t, j["median_ms"], j["max_ms"])
	buffers := j["buffers"].([]any)
	require.Len(t, buffers, 2)
	y := buffers[1].(map[string]any)
	require.Equal(t, 2.0, y["arg"])
	require.Equal(t, "float", y["type"])
	require.Equal(t, 1000.0, y["count"])
	require.Equal(t, "87dd86dc44bdd622", y["fnv1a64"], "what another OpenCL driver leaves there")
	for _, key := range []string{"sum", "min", "max"} {
		require.IsType(t, 0.0, y[key])
	}
	require.Len(t, y["head"], 2)
}

func TestRunText(t *testing.T) {
	path := file(t, "saxpy.cl", saxpy)
	args := append([]string{"run", path}, saxpyArgs...)
	out := ok(t, args...)
	require.Contains(t, out, "saxpy on ")
	require.Contains(t, out, "global 1000 local 250")
	require.Contains(t, out, "n=5")
	require.Contains(t, out, "arg2 float*1000  fnv1a64 87dd86dc44bdd622  sum ")
	require.Contains(t, ok(t, append(args, "--target", "interp", "-n", "0")...), "saxpy on interp  global 1000")
	quiet := ok(t, "run", path, "-g", "4", "-n0", "float:1", "b:float:4:index", "b:float:4:const,1:q", "--head=3")
	require.Contains(t, quiet, "    0 1 2\n")
	require.NotContains(t, quiet, "arg2")
}

// TestFoundFaster: what launches have found shows where times do.
func TestFoundFaster(t *testing.T) {
	var text strings.Builder
	r := runReport{Kernel: "k", Target: "avx512", Linearizer: "partial", Width: 16, N: 1, Fastest: "partial x1"}
	r.print(&text)
	require.Contains(t, text.String(), "k on avx512 (partial, width 16)  global")
	require.Contains(t, text.String(), "cpu min 0.000; found faster: partial x1\n")
	path := file(t, "saxpy.cl", saxpy)
	planned := ok(t, "run", path, "-g", "4", "--no-tuning", "--json", "float:2", "b:float:4", "b:float:4")
	require.NotContains(t, planned, "fastest")
}

// TestRunTunesAhead: candidates are compared before runs are timed, unless there is nothing
// to time or to choose.
func TestRunTunesAhead(t *testing.T) {
	path := file(t, "walk.cl", `__kernel void walk(__global const uint *next, __global uint *out) {
	uint i = get_global_id(0), at = i, n = 0;
	for (; n < 40 && at > 7; n++)
		at = next[at];
	out[i] += n;
}`)
	took := func(flags ...string) float64 {
		args := append([]string{"run", path, "-g", "4096", "--target", "wasm-simd", "--json"}, flags...)
		var r struct {
			TuneMS float64 `json:"tune_ms"`
		}
		require.NoError(t, json.Unmarshal([]byte(ok(t, append(args, "b:uint:4096:rand,1,0,4095", "b:uint:4096")...)), &r))
		return r.TuneMS
	}
	require.Positive(t, took())
	require.Positive(t, took("--reset"))
	require.Zero(t, took("-n", "0"))
	require.Zero(t, took("--no-tuning"))
}

func TestResetAndDump(t *testing.T) {
	path := file(t, "saxpy.cl", saxpy)
	prefix := filepath.Join(t.TempDir(), "out")
	args := []string{"run", path, "-g", "4", "-n", "2", "--dump", prefix, "float:2", "b:uchar4:4:const,0", "b:uint:4:const,0x3f800000"}
	first := simtcRun(args...)
	require.Zero(t, first.code)
	require.Contains(t, first.out, "arg2")
	require.Equal(t, "simtc: warning: argument 2 \"b:uint:4:const,0x3f800000\": kernel saxpy has __global float *y: the elements are uint, not float\n", first.err)
	b, err := os.ReadFile(prefix + ".arg2.bin")
	require.NoError(t, err)
	require.Equal(t, bytes.Repeat([]byte{0, 0, 0x80, 0x3f}, 4), b)
	b, err = os.ReadFile(prefix + ".arg1.bin")
	require.NoError(t, err)
	require.Len(t, b, 16)
	require.Zero(t, simtcRun(append(args, "--reset")...).code)
	loaded := ok(t, "run", path, "-g", "4", "-n", "0", "--head", "4", "float:1", "b:float:4", "b:float:8:file,"+prefix+".arg2.bin")
	require.Contains(t, loaded, "    1 1 1 1\n")
}

func TestImage(t *testing.T) {
	path := file(t, "paint.cl", `
__kernel void color(__global const int *no, __global float4 *out) {
  int i = get_global_id(0) + 3 * get_global_id(1);
  out[i] = (float4)(i == 1, 0.5f, 2.0f, 0.0f); }
__kernel void grey(__global uchar *out) { out[get_global_id(0) + 3 * get_global_id(1)] = get_global_id(0) * 100; }
__kernel void scaled(__global int *out) { out[get_global_id(0)] = get_global_id(0) * 1000 - 1000; }
__kernel void two(__global int *out) { out[get_global_id(0) & 1] = 1; }
`)
	image := filepath.Join(t.TempDir(), "out.ppm")
	read := func() []byte {
		b, err := os.ReadFile(image)
		require.NoError(t, err)
		return b
	}
	ok(t, "run", path, "-k", "color", "-g", "3,2", "-n0", "--ppm", image, "b:int:6", "b:float4:6")
	require.Equal(t, append([]byte("P6\n3 2\n255\n"), 0, 128, 255, 255, 128, 255, 0, 128, 255, 0, 128, 255, 0, 128, 255, 0, 128, 255), read())
	ok(t, "run", path, "-k", "grey", "-g", "3,1", "-n0", "--ppm", image, "b:uchar:3")
	require.Equal(t, "P6\n3 1\n255\n\x00\x00\x00ddd\xc8\xc8\xc8", string(read()))
	ok(t, "run", path, "-k", "scaled", "-g", "3", "-n0", "--ppm", image, "b:int:3")
	require.Equal(t, "P6\n3 1\n255\n\x00\x00\x00\x80\x80\x80\xff\xff\xff", string(read()))
	r := simtcRun("run", path, "-k", "two", "-g", "3", "-n0", "--ppm", image, "b:int:2")
	require.Equal(t, exitError, r.code)
	require.Contains(t, r.err, "no buffer of 3*1 elements")
}

// TestBounds: run refuses an access that is certain to be out of bounds, and finds one that
// depends on data with --checked; check always does.
func TestBounds(t *testing.T) {
	path := file(t, "at.cl", "__kernel void at(__global const int *i, __global int *out) { out[i[get_global_id(0)]] = 1; }\n")
	const certain = ":1:67: error: kernel at: read of 4 bytes out of bounds: index 7 (byte 28) of parameter 'i', which has 28 bytes; work-item (7, 0, 0)\n"
	const found = ":1:87: error: kernel at: write of 4 bytes out of bounds: index 7 (byte 28) of parameter 'out', which has 28 bytes; work-item (7, 0, 0)\n"
	for _, target := range []string{simtc.WASM, simtc.VIR, simtc.Interpreter} {
		args := []string{"run", path, "-g", "8", "-n", "1", "--target", target}
		r := simtcRun(append(args, "b:int:7:index", "b:int:8")...)
		require.Equal(t, exitError, r.code)
		require.Contains(t, r.err, certain)
		r = simtcRun(append(args, "--checked", "b:int:8:index", "b:int:7")...)
		require.Equal(t, exitError, r.code)
		require.Contains(t, r.err, found)
		plain, checked := append(args, "--json", "b:int:8:index", "b:int:8"), append(args, "--json", "--checked", "b:int:8:index", "b:int:8")
		require.Equal(t, runJSON(t, plain).Buffers, runJSON(t, checked).Buffers)
	}
	r := simtcRun("check", path, "-g", "8", "b:int:8:index", "b:int:7")
	require.Equal(t, exitError, r.code)
	require.Contains(t, r.err, found)
}

// runJSON is what run prints with --json.
func runJSON(t *testing.T, args []string) (out runReport) {
	require.NoError(t, json.Unmarshal([]byte(ok(t, args...)), &out))
	return out
}

func TestCheck(t *testing.T) {
	path := file(t, "saxpy.cl", saxpy)
	args := []string{"check", path, "-g", "37", "float:2.5", "b:float:37:rand,1", "b:float:37:rand,2"}
	out := ok(t, args...)
	require.Contains(t, out, "all equal to the interpreter")
	require.Regexp(t, `interp +- +- .*reference`, out)
	require.Regexp(t, `wasm-simd +blockip +8 .*same`, out)
	require.Regexp(t, `wasm-simd +partial +8 .*same`, out)
	require.Regexp(t, `avx512 +blockip +64 .*same`, out)

	var j checkReport
	require.NoError(t, json.Unmarshal([]byte(ok(t, append(args, "--json", "--target", "vir", "--linearize", "partial", "--width", "8")...)), &j))
	require.True(t, j.OK)
	require.Len(t, j.Rows, 2)
	require.Equal(t, "same", j.Rows[1].Result)
	require.Equal(t, 8, j.Rows[1].Width)
	require.Len(t, j.Buffers, 2)
}

// AVX-512 code runs on any machine if it may be emulated, and says so.
func TestEmulate(t *testing.T) {
	path := file(t, "saxpy.cl", saxpy)
	args := []string{path, "-g", "37", "float:2.5", "b:float:37:rand,1", "b:float:37:rand,2", "--json"}
	var emulated, interpreted runReport
	require.NoError(t, json.Unmarshal([]byte(ok(t, append([]string{"run", "--emulate", "--width", "16"}, args...)...)), &emulated))
	require.NoError(t, json.Unmarshal([]byte(ok(t, append([]string{"run", "--target", "interp"}, args...)...)), &interpreted))
	require.Greater(t, emulated.Executed, uint64(30))
	require.Equal(t, "avx512", emulated.Target)
	require.Equal(t, interpreted.Buffers, emulated.Buffers)
	require.Zero(t, interpreted.Executed)
	require.Contains(t, ok(t, "check", path, "-g", "37", "float:2.5", "b:float:37:rand,1", "b:float:37:rand,2", "--target", "avx512", "--emulate"), "same (emulated)")

	if err := simtc.Available(simtc.AVX512); err != nil {
		r := simtcRun(append([]string{"run", "--target", "avx512"}, args...)...)
		require.Equal(t, exitError, r.code)
		require.Contains(t, r.err, "--emulate")
	}
}

// Every target makes sub-groups of a required size, and check says which it has if not.
func TestCheckRequiredSubGroups(t *testing.T) {
	source := func(n string) string {
		return file(t, "sg.cl", "__attribute__((intel_reqd_sub_group_size("+n+")))\n"+
			"__kernel void sg(__global int *p) { p[get_global_id(0)] = get_sub_group_size(); }")
	}
	for _, n := range []string{"16", "32", "64"} {
		out := ok(t, "check", source(n), "-g", "64", "-l", "64", "b:int:64")
		for _, target := range []string{"avx512", "wasm-simd", "vir"} {
			require.Regexp(t, target+` +partial +`+n+` .*same`, out)
		}
	}
	for _, target := range []string{"avx512", "wasm-simd", "vir"} {
		r := simtcRun("check", source("2"), "-g", "64", "-l", "64", "b:int:64", "--target", target)
		require.Equal(t, exitError, r.code)
		require.Contains(t, r.err, "target "+target+" supports 1 4 8 16 32 64")
	}
}

// Where no target can do what is asked for, check says why.
func TestCheckWithoutAWay(t *testing.T) {
	path := file(t, "one.cl", "__kernel void one(__global int *p) { p[get_global_id(0)] = 1; }\n")
	r := simtcRun("check", path, "-g", "8", "b:int:8", "--lanes", "rounds")
	require.Equal(t, exitError, r.code)
	require.Equal(t, path+":1:15: error: kernel one: cannot run loop iterations as lanes: it has no loop\n"+
		"    __kernel void one(__global int *p) { p[get_global_id(0)] = 1; }\n                  ^\n", r.err)
}

// TestCheckFindsDifferences: work-items that write to one place in no order
// the language defines.
func TestCheckFindsDifferences(t *testing.T) {
	path := file(t, "race.cl", `__kernel void race(__global int *p) {
  int i = get_global_id(0);
  p[0] += i & 1; }`)
	r := simtcRun("check", path, "-g", "64", "b:int:1", "--target", "vir")
	require.Equal(t, exitError, r.code)
	require.Empty(t, r.err)
	require.Regexp(t, `vir +blockip +8 .*differs: arg0\[0\] is \d+, not 32`, r.out)
	require.Contains(t, r.out, "differ from the interpreter")
	r = simtcRun("check", path, "-g", "64", "b:int:1", "--target", "vir", "--json", "--fail-fast")
	require.Equal(t, exitError, r.code)
	require.Contains(t, r.out, `"ok":false`)
}

func TestCompileKinds(t *testing.T) {
	path := file(t, "saxpy.cl", saxpy)
	for kind, want := range map[string]string{
		"ast": "saxpy", "kernel": "kernel saxpy", "divergence": "contiguous", "joins": "kernel saxpy", "vir": "vload.f32x",
		"dot": "digraph", "plan": "ns/item", "asm": "zmm", "wat": "(module", "goasm": "TEXT ·saxpy(SB)",
	} {
		require.Contains(t, ok(t, "compile", path, "--emit", kind), want, kind)
	}
	require.True(t, strings.HasPrefix(ok(t, "compile", path, "--emit", "obj"), "\x7fELF"))
	require.True(t, strings.HasPrefix(ok(t, "compile", path, "--emit", "wasm"), "\x00asm"))
	require.Contains(t, ok(t, "compile", path, "--target", "avx512"), "zmm")
	require.Contains(t, ok(t, "compile", path, "--target", "wasm-simd"), "(module")
	require.Contains(t, ok(t, "compile", path, "--emit", "vir", "--width", "4"), "f32x4")
}

func TestCompileOutput(t *testing.T) {
	path := file(t, "saxpy.cl", saxpy)
	dir := t.TempDir()
	for ext, want := range map[string]string{".o": "\x7fELF", ".wasm": "\x00asm", ".wat": "(module", ".simt": "kernel saxpy", ".dot": "digraph", ".s": "#"} {
		out := filepath.Join(dir, "saxpy"+ext)
		require.Empty(t, ok(t, "compile", path, "-o", out))
		b, err := os.ReadFile(out)
		require.NoError(t, err)
		require.True(t, strings.HasPrefix(string(b), want), "%s begins %.20q", ext, b)
	}
	// The IR that was written compiles and runs like its source.
	ir := filepath.Join(dir, "saxpy.simt")
	require.Contains(t, ok(t, append([]string{"run", ir}, saxpyArgs...)...), "87dd86dc44bdd622")

	var j compileReport
	require.NoError(t, json.Unmarshal([]byte(ok(t, "compile", path, "--json", "-o", filepath.Join(dir, "x.o"))), &j))
	require.Equal(t, []string{"saxpy"}, j.Kernels)
	require.Equal(t, "obj", j.Emit)
	require.Equal(t, 64, j.ABI["saxpy"]["private_bytes"])
	require.Contains(t, j.ABI["saxpy"], "spill_bytes")
	require.Positive(t, j.Bytes)
}

func TestStats(t *testing.T) {
	path := file(t, "saxpy.cl", saxpy)
	r := simtcRun("compile", path, "--stats", "--disable", "fold,vector/slp", "--dump-after", "final/votes", "--emit", "vir")
	require.Zero(t, r.code, r.err)
	require.Contains(t, r.err, "kernel saxpy\n")
	require.Regexp(t, `\n  abi private_bytes +64\n`, r.err)
	require.Regexp(t, `\n  pass +runs +ms +allocs +KiB\n`, r.err)
	require.Regexp(t, `\n  vector/induction +[1-9]\d* +\d+\.\d{3} +\d+ +\d+\.\d\n`, r.err)
	require.NotContains(t, r.err, "scalar/fold")
	require.NotContains(t, r.err, "vector/slp")
	require.Contains(t, r.err, "; kernel saxpy after pass final/votes\nvir saxpy")
	r = simtcRun("compile", path, "--stats=effects", "--emit", "vir")
	require.Regexp(t, `\n  abi private_bytes +64\n`, r.err)
	require.NotContains(t, r.err, "KiB")
	r = simtcRun("compile", path, "--stats=costs", "--emit", "vir")
	require.NotContains(t, r.err, "private_bytes")
	require.Contains(t, r.err, "KiB")
	require.Contains(t, ok(t, "compile", path, "--emit", "passes"), "scalar\n  unreachable\n  promote\n")
	r = simtcRun(append([]string{"check", path, "--stats", "--target", "vir", "--width", "8", "--linearize", "partial"}, saxpyArgs...)...)
	require.Zero(t, r.code, r.err)
	require.Contains(t, r.err, "kernel saxpy, vir partial bypass=both x8\n  abi defers ")
	require.Contains(t, r.out, "\n1 variant compared, ")
	r = simtcRun(append([]string{"check", path, "--stats=costs", "--target", "vir"}, saxpyArgs...)...)
	require.Zero(t, r.code, r.err)
	require.Equal(t, 1, strings.Count(r.err, "KiB"), "the costs of all variants together: %s", r.err)
	require.NotContains(t, r.err, "private_bytes")
}

func TestMacrosAndIncludes(t *testing.T) {
	path := file(t, "f.cl", "#include <value.h>\n#include \"near.h\"\n__kernel void f(__global int *p) { p[0] = VALUE + NEAR + EXTRA; }\n")
	require.NoError(t, os.WriteFile(filepath.Join(filepath.Dir(path), "near.h"), []byte("#define NEAR 20\n"), 0o666))
	far := file(t, "value.h", "#define VALUE 1\n")
	out := ok(t, "run", path, "-D", "EXTRA=300", "-I", filepath.Dir(far), "-g", "1", "-n", "0", "--head", "1", "b:int:1")
	require.Contains(t, out, "    321\n")
	r := simtcRun("compile", path, "-DEXTRA=1")
	require.Equal(t, exitError, r.code)
	require.Contains(t, r.err, path+":1:")
	require.Contains(t, r.err, "#include <value.h>\n")
}

func TestErrorsPointAtTheSource(t *testing.T) {
	path := file(t, "bad.cl", "__kernel void f(__global int *p) {\n  *p = missing;\n}\n")
	for _, cmd := range []string{"compile", "run", "check"} {
		r := simtcRun(cmd, path, "-g", "1", "b:int:1")
		if cmd == "compile" {
			r = simtcRun(cmd, path)
		}
		require.Equal(t, exitError, r.code)
		require.Empty(t, r.out)
		lines := strings.Split(r.err, "\n")
		require.True(t, strings.HasPrefix(lines[0], path+":2:8: error: "), lines[0])
		require.Contains(t, lines[1], "*p = missing;")
		require.Equal(t, strings.Index(lines[1], "missing"), strings.Index(lines[2], "^"))
	}
	// In an included file, too.
	path = file(t, "outer.cl", "#include \"inner.h\"\n")
	inner := filepath.Join(filepath.Dir(path), "inner.h")
	require.NoError(t, os.WriteFile(inner, []byte("\n  int x = ;\n"), 0o666))
	r := simtcRun("compile", path)
	require.Equal(t, exitError, r.code)
	require.Contains(t, r.err, filepath.ToSlash(inner)+":2:")
	require.Contains(t, r.err, "    int x = ;\n")
}

// TestStandardInput reads a program from it, and names it so in errors.
func TestStandardInput(t *testing.T) {
	stdin := os.Stdin
	defer func() { os.Stdin = stdin }()
	from := func(text string) {
		f, err := os.Open(file(t, "in.cl", text))
		require.NoError(t, err)
		t.Cleanup(func() { f.Close() })
		os.Stdin = f
	}
	from(saxpy)
	require.Contains(t, ok(t, append([]string{"run", "-", "-n", "0"}, saxpyArgs...)...), "87dd86dc44bdd622")
	from("kernel void k() { x = 1; }")
	r := simtcRun("compile", "-")
	require.Equal(t, exitError, r.code)
	require.Equal(t, "<stdin>:1:19: error: undeclared identifier 'x'\n    kernel void k() { x = 1; }\n                      ^\n", r.err)
}

func TestFailuresExitWith1(t *testing.T) {
	path := file(t, "saxpy.cl", saxpy)
	huge := file(t, "huge.cl", saxpy)
	require.NoError(t, os.Truncate(huge, maxText+1))
	for _, c := range []struct {
		want string
		args []string
	}{
		{"no such file", []string{"compile", filepath.Join(t.TempDir(), "none.cl")}},
		{path + ": error: there is no kernel 'nope'", append([]string{"run", path}, append(saxpyArgs, "-k", "nope")...)},
		{"more than 67108864 bytes", []string{"compile", huge}},
		{"no such file", []string{"run", path, "-g", "1", "float:1", "b:float:1:file,/does/not/exist", "b:float:1"}},
	} {
		r := simtcRun(c.args...)
		require.Equal(t, exitError, r.code, c.args)
		require.Contains(t, r.err, c.want)
		require.NotContains(t, r.err, "usage:")
	}
}

func TestWrongUsageExitsWith2(t *testing.T) {
	path := file(t, "saxpy.cl", saxpy)
	two := file(t, "two.cl", "__kernel void a(){} __kernel void b(){}")
	for _, c := range []struct {
		want string
		args []string
	}{
		{"unknown command \"frobnicate\": want one of check, compile, completion, help, opencl, run, version", []string{"frobnicate"}},
		{"unknown flag: --frob", []string{"compile", path, "--frob"}},
		{"compile needs a FILE", []string{"compile"}},
		{"run needs a FILE", []string{"run"}},
		{"check needs a FILE", []string{"check"}},
		{"version takes no arguments, got \"x\"", []string{"version", "x"}},
		{"invalid --emit \"llvm\"", []string{"compile", path, "--emit", "llvm"}},
		{"invalid --target \"sse\"", []string{"compile", path, "--target", "sse"}},
		{"invalid --linearize \"x\"", []string{"compile", path, "--linearize", "x"}},
		{"invalid --width \"7\"", []string{"compile", path, "--width", "7"}},
		{"invalid --cl-std \"9\"", []string{"compile", path, "--cl-std", "9"}},
		{"global size with -g", []string{"run", path, "float:1"}},
		{"-g: ", []string{"run", path, "-g", "1,x"}},
		{"at most 3", []string{"run", path, "-g", "1,1,1,1"}},
		{"-l: ", []string{"run", path, "-g", "1", "-l", "-3"}},
		{"takes 3 arguments, got 1: (float a, __global const float *x, ", []string{"run", path, "-g", "1", "float:1"}},
		{"want a value TYPE:V", []string{"run", path, "-g", "1", "b:float:1", "b:float:1", "b:float:1"}},
		{"want a buffer", []string{"run", path, "-g", "1", "float:1", "float:1", "b:float:1"}},
		{"want a value of float", []string{"run", path, "-g", "1", "int:1", "b:float:1", "b:float:1"}},
		{"want 4 bytes, not 8", []string{"run", path, "-g", "1", "double:1", "b:float:1", "b:float:1"}},
		{"unknown type \"flaot\"", []string{"run", path, "-g", "1", "flaot:1"}},
		{"has several kernels (a, b): select one with -k", []string{"run", two, "-g", "1"}},
		{"invalid argument", []string{"run", path, "-g", "1", "-n", "many"}},
		{"local size of dimension 1 is 0", []string{"run", path, "-g", "8,8", "-l", "8,0"}},
		{"--emulate runs machine code, not vir", append([]string{"run", path, "-g", "1", "--emulate", "--target", "vir"}, saxpyArgs[len(saxpyArgs)-3:]...)},
		{"invalid --threads -1: want 0 to 1024", []string{"run", path, "-g", "1", "--threads", "-1"}},
		{"--timeout -1s", []string{"run", path, "-g", "1", "--timeout", "-1s"}},
		{"obj is code for target avx512 or avx2, not wasm-simd", []string{"compile", path, "--emit", "obj", "--target", "wasm-simd"}},
		{"wasm is code for target wasm-simd, not vir", []string{"compile", path, "-o", filepath.Join(t.TempDir(), "k.wasm"), "--target", "vir"}},
		{"unknown extension .foo: want one of .dot, .gv, .json, .o, .s, .simt, .vir, .wasm, .wat, or select the kind of output with --emit",
			[]string{"compile", path, "-o", filepath.Join(t.TempDir(), "k.foo")}},
		{"no variant is left to compare with the interpreter", append([]string{"check", path, "--target", "interp"}, saxpyArgs...)},
		{"a size or an offset of dimension 1 is given, but the range has only dimension 0", []string{"run", path, "-g", "8", "-l", "8,2"}},
		{"-D 1x: want NAME", []string{"compile", path, "-D", "1x"}},
		{"-D =: want NAME", []string{"compile", path, "-D", "="}},
		{"<command line>:1:11: error: unexpected '1' in the parameters of macro 'A'", []string{"compile", path, "-D", "A(1)=2"}},
		{"<command line>:1:11: error: unterminated comment", []string{"compile", path, "-D", "x=/*"}},
		{"must be an identifier, not '1x'", []string{"compile", path, "-U", "1x"}},
		{"is 'a+b', no identifier", []string{"compile", path, "-U", "a+b"}},
		{"the definition '=x' has no name", []string{"compile", path, "--cl-options", "-D =x"}},
		{"unknown build option \"-foo\"", []string{"compile", path, "--cl-options", "-foo"}},
		{"unknown build option \"-cl-foo\"", []string{"compile", path, "-cl-foo"}},
		{"build option -cl-std=CL9", []string{"compile", path, "-cl-std=CL9"}},
		{"build option -x lacks its operand", []string{"compile", path, "--cl-options", "-x"}},
		{"more than 281474976710656 work-items in total", append([]string{"run", path, "-g", "2147483648,2147483648,2"}, saxpyArgs[len(saxpyArgs)-3:]...)},
		{"unknown command \"foo\"", []string{"help", "foo"}},
		{"unknown command \"foo\": want one of bash, fish, ", []string{"completion", "foo"}},
	} {
		r := simtcRun(c.args...)
		require.Equal(t, exitUsage, r.code, "%v: %s", c.args, r.err)
		require.Contains(t, r.err, c.want)
		require.Contains(t, r.err, "usage: simtc")
		require.Empty(t, r.out)
	}
}

func TestCancelAndTimeout(t *testing.T) {
	path := file(t, "spin.cl", spin)
	for _, target := range []string{"", "wasm-simd", "interp"} {
		args := []string{"run", path, "-g", "40", "b:int:40"}
		if target != "" {
			args = append(args, "--target", target)
		}
		r := simtcRun(append(args, "--timeout", "20ms")...)
		require.Equal(t, exitError, r.code)
		require.Regexp(t, `^(simtc|.*spin\.cl:1:\d+): error: kernel spin: stopped after 20ms\n`, r.err)
		ctx, cancel := context.WithCancel(context.Background())
		time.AfterFunc(20*time.Millisecond, cancel)
		r = simtcWith(ctx, args...)
		require.Equal(t, exitError, r.code)
		require.Regexp(t, `^(simtc|.*spin\.cl:1:\d+): error: kernel spin: interrupted\n`, r.err)
	}
	r := simtcRun("check", path, "-g", "40", "b:int:40", "--timeout", "100ms")
	require.Equal(t, exitError, r.code)
	require.Regexp(t, `^(simtc|.*spin\.cl:1:\d+): error: kernel spin: stopped after 100ms on interp\n`, r.err)
}

// TestInterrupt sends what Ctrl-C does, until the launch has begun and ends of it.
func TestInterrupt(t *testing.T) {
	self, err := os.FindProcess(os.Getpid())
	require.NoError(t, err)
	caught := make(chan os.Signal, 1)
	signal.Notify(caught, os.Interrupt) // or one before the launch would end the tests
	defer signal.Stop(caught)
	if err := self.Signal(os.Interrupt); err != nil {
		t.Skipf("SKIPPED: no interrupts can be sent here: %v", err)
	}
	path, done := file(t, "spin.cl", spin), make(chan result)
	go func() { done <- simtcRun("run", path, "-g", "40", "b:int:40", "--target", "wasm-simd") }()
	for {
		select {
		case r := <-done:
			require.Equal(t, 130, r.code)
			require.Regexp(t, `^(simtc|.*spin\.cl:1:\d+): error: (kernel spin: )?interrupted\n`, r.err)
			return
		case <-time.After(20 * time.Millisecond):
			require.NoError(t, self.Signal(os.Interrupt))
		}
	}
}

func TestHelpVersionCompletion(t *testing.T) {
	require.Contains(t, ok(t, "help"), "compile")
	require.Contains(t, ok(t, "--help"), "check")
	require.Contains(t, ok(t), "Usage:")
	for _, cmd := range []string{"compile", "run", "check", "version"} {
		require.Contains(t, ok(t, "help", cmd), "Usage:\n  simtc "+cmd)
	}
	require.Contains(t, ok(t, "help", "run"), "rand,SEED")
	require.Contains(t, ok(t, "version"), "simtc ")
	var v versionReport
	require.NoError(t, json.Unmarshal([]byte(ok(t, "version", "--json")), &v))
	require.Equal(t, runtime.GOARCH, v.Arch)
	require.Equal(t, "ok", v.Targets["wasm-simd"])
	require.Contains(t, ok(t, "completion", "bash"), "bash completion")
	r := simtcRun("__complete", "compile", "--emit", "")
	require.Zero(t, r.code)
	require.Contains(t, r.out, "divergence\n")
}

// TestBuildOptionsAndStructs passes options as clBuildProgram takes them and a
// struct by value.
func TestBuildOptionsAndStructs(t *testing.T) {
	path := file(t, "s.cl", `typedef struct { float a; char b; } pair;
#ifdef __FAST_RELAXED_MATH__
__kernel void k(pair s, __global TYPE *p) { p[get_global_id(0)] = s.a + s.b; }
#endif
`)
	out := ok(t, "run", path, "-cl-fast-relaxed-math", "-w", "-cl-std=CL1.2", "--cl-options", "-D TYPE=int -cl-mad-enable",
		"--target", "interp", "-g", "4", "--runs", "1", "bytes:00000040_05000000", "b:int:4")
	require.Contains(t, out, "sum 28")
	require.Contains(t, ok(t, "run", path, "--cl-options", "-cl-fast-relaxed-math", "-D", "TYPE=int",
		"--target", "interp", "-g", "4", "--runs", "1", "bytes:00000040_05000000", "b:int:4"), "sum 28")
	r := simtcRun("run", path, "-cl-fast", "-g", "4", "bytes:00", "b:int:4")
	require.NotZero(t, r.code)
	require.Contains(t, r.err, `unknown build option "-cl-fast"`)
}

// TestExampleInC links the example with the object that it calls, at widths that
// need different memory, and runs it where the processor can.
func TestExampleInC(t *testing.T) {
	cc, err := exec.LookPath("gcc")
	if err != nil || runtime.GOARCH != "amd64" {
		t.Skip("SKIPPED: no gcc for amd64 on this machine, the example in C is not compiled")
	}
	dir := t.TempDir()
	object, program := filepath.Join(dir, "saxpy.o"), filepath.Join(dir, "saxpy")
	for _, width := range []string{"1", "64"} {
		ok(t, "compile", "../../examples/saxpy.cl", "-o", object, "--width", width)
		out, err := exec.Command(cc, "-Wall", "-Wextra", "-Werror", "-O1", "../../examples/c/main.c", object, "-o", program).CombinedOutput()
		require.NoError(t, err, "%s", out)
		require.Empty(t, string(out))
		if err := simtc.Available(simtc.AVX512); err != nil && width != "1" {
			t.Logf("SKIPPED running it: %v", err)
			out, err := exec.Command(program).CombinedOutput()
			require.Error(t, err)
			require.Equal(t, "saxpy needs a processor of level x86-64-v4\n", string(out))
			continue
		}
		out, err = exec.Command(program).CombinedOutput()
		require.NoError(t, err, "%s", out)
		require.Equal(t, "y[1] = 3, y[999] = 1999, sum 1000000\n", string(out))
	}
}

// TestConstantsInC links a program in C that looks at the constants of an object.
func TestConstantsInC(t *testing.T) {
	cc, err := exec.LookPath("gcc")
	if err != nil || runtime.GOARCH != "amd64" {
		t.Skip("SKIPPED: no gcc for amd64 on this machine, nothing is linked")
	}
	path := file(t, "k.cl", `__constant int table[3] = { 7, 8, 9 };
__constant int *__constant places[2] = { table, table + 2 };
__kernel void k(__global int *o) { o[0] = table[o[1]] + *places[o[2]]; }`)
	object := strings.TrimSuffix(path, ".cl") + ".o"
	ok(t, "compile", path, "-o", object)
	c := file(t, "main.c", `#include <stdio.h>
extern const void *const __simtc_data_k[];
int main(void) { const int *table = __simtc_data_k[0]; printf("%d %d %d", table[0], table[1], *((const int *const *)__simtc_data_k[1])[1]); return 0; }`)
	for _, flag := range []string{"-pie", "-no-pie"} {
		program := filepath.Join(t.TempDir(), "main")
		out, err := exec.Command(cc, "-Wall", "-Werror", flag, c, object, "-o", program).CombinedOutput()
		require.NoError(t, err, "%s", out)
		require.Empty(t, string(out))
		out, err = exec.Command(program).CombinedOutput()
		require.NoError(t, err, "%s", out)
		require.Equal(t, "7 8 9", string(out), flag)
	}
}

// TestSeveralFiles: commands take several sources, which end where the kernel's arguments begin.
func TestSeveralFiles(t *testing.T) {
	a := file(t, "a.cl", "int f(int x);\nkernel void k(global int *p) { p[get_global_id(0)] = f(get_global_id(0)); }\n")
	b := file(t, "b.cl", "int f(int x) { return 3 * x + 1; }\n")
	object := strings.TrimSuffix(a, ".cl") + ".o"
	require.Empty(t, ok(t, "compile", a, b, "-o", object))
	require.FileExists(t, object)
	require.Contains(t, ok(t, "run", a, b, "-g", "4", "-n", "0", "--head", "4", "b:int:4"), "\n    1 4 7 10\n")
	require.Contains(t, ok(t, "check", a, b, "-g", "4", "--target", "vir", "b:int:4"), "all equal to the interpreter")
	text := file(t, "data.cl", "abcd")
	require.Contains(t, ok(t, "run", a, b, "-g", "2", "-n", "0", "--head", "2", "b:int:2:file,"+text), "\n    1 4\n")
}

// TestVariablesInC links a program in C with an object that has variables, at addresses that
// the linker chooses.
func TestVariablesInC(t *testing.T) {
	cc, err := exec.LookPath("gcc")
	if err != nil || runtime.GOARCH != "amd64" {
		t.Skip("SKIPPED: no gcc for amd64 on this machine, nothing is linked")
	}
	path := file(t, "k.cl", `__constant int table[3] = { 7, 8, 9 };
int first = 3, zeros[100];
__global int *__global where = &first;
__constant int *__global row = table + 1;
__global int *__constant last = zeros + 99;
__kernel void k(__global int *o) { *last = 1; o[0] = *where + *row; }
__kernel void other(__global int *o) { o[0] = *last; }`)
	object := strings.TrimSuffix(path, ".cl") + ".o"
	ok(t, "compile", path, "--cl-std", "2.0", "-o", object)
	c := file(t, "main.c", `#include <stdio.h>
extern struct { int first, zeros[100]; int *where; const int *row; } __simtc_variables_k, __simtc_variables_other;
int main(void) {
  printf("%d %d %d ", &__simtc_variables_k == &__simtc_variables_other, *__simtc_variables_k.where, *__simtc_variables_k.row);
  __simtc_variables_k.first = 12;
  printf("%d %d", *__simtc_variables_other.where, __simtc_variables_k.zeros[99]);
  return 0;
}`)
	for _, flag := range []string{"-pie", "-no-pie"} {
		program := filepath.Join(t.TempDir(), "main")
		out, err := exec.Command(cc, "-Wall", "-Werror", flag, c, object, "-o", program).CombinedOutput()
		require.NoError(t, err, "%s", out)
		require.Empty(t, string(out))
		out, err = exec.Command(program).CombinedOutput()
		require.NoError(t, err, "%s", out)
		require.Equal(t, "1 3 8 12 0", string(out), flag)
	}
}

// TestGoAssembly has a Go program call a kernel of one lane, which any amd64 runs, and
// one with lanes assembled.
func TestGoAssembly(t *testing.T) {
	if runtime.GOARCH != "amd64" || runtime.GOOS != "linux" {
		t.Skip("SKIPPED: not linux/amd64, no Go assembly is built")
	}
	path := file(t, "k.cl", `__constant int table[3] = { 7, 8, 9 };
__constant int *__constant places[2] = { table, table + 2 };
__kernel void k(__global int *p) { int i = get_global_id(0); p[i] = table[p[i]] * 10 + *places[i & 1]; }
__global int calls = 40, *__global where = &calls, zeros[1000];
__kernel void other(__global float *p) { p[get_global_id(0)] *= 2; zeros[999] = *where += 2; }`)
	dir := filepath.Dir(path)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "go.mod"), []byte("module k\n"), 0o666))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "main.go"), []byte(`package main

import (
	"runtime"
	"unsafe"
)

func k(context unsafe.Pointer)
func other(context unsafe.Pointer)

var __simtc_width_k uint64
var __simtc_data_k, __simtc_variables_k, __simtc_variables_other unsafe.Pointer

func main() {
	p := []int32{0, 1, 2}
	args, scratch := []unsafe.Pointer{unsafe.Pointer(&p[0]), __simtc_variables_k}, make([]uint64, 16)
	var context [104]uint64
	context[24/8] = 3
	context[184/8] = uint64(uintptr(unsafe.Pointer(&args[0])))
	context[192/8] = uint64(uintptr(unsafe.Pointer(&scratch[8])))
	context[200/8] = uint64(uintptr(__simtc_data_k))
	k(unsafe.Pointer(&context))
	other(unsafe.Pointer(&context))
	variables := (*[1100]int32)(__simtc_variables_other)
	runtime.KeepAlive(args)
	runtime.KeepAlive(scratch)
	println(p[0], p[1], p[2], __simtc_width_k, variables[0], variables[4+999], variables[4+998])
}
`), 0o666))
	goTool := func(args ...string) string {
		t.Helper()
		c := exec.Command("go", args...)
		c.Dir = dir
		out, err := c.CombinedOutput()
		require.NoError(t, err, "%s", out)
		return string(out)
	}
	for _, width := range []string{"16", "1"} {
		ok(t, "compile", path, "--cl-std", "2.0", "--emit", "goasm", "-o", filepath.Join(dir, "k.s"), "--width", width)
		goTool("vet", ".")
	}
	require.Equal(t, "154 178 194 1 46 46 0\n", goTool("run", "."))
}

// What cannot be had as asked for is said, beside the output; nearly the same is
// made instead.
func TestWarnings(t *testing.T) {
	path := file(t, "irreducible.cl", `
__kernel void nested(__global uint *a, int n) {
  uint i = get_global_id(0), x = a[i];
  if (x & 1) {
    if (n > 3) { for (int k = 0; k < n; k++) x += a[k]; }
    else x = x * 3 + a[n];
    a[i + 1] = x;
  }
  a[i] = x;
}
__kernel void tangled(__global uint *a) {
  uint i = get_global_id(0), x = a[i];
  if (x & 1) goto B;
A: x = x * 1664525u + 1013904223u; a[i] = x;
  if (x >> 28 == 3) goto done;
B: x ^= x >> 13; a[i + 1] = x;
  if ((x & 15) != 3) goto A;
done: ;
}
`)
	source, err := os.ReadFile(path)
	require.NoError(t, err)
	lines := strings.Split(string(source), "\n")
	code := func(kernel, linearizer, bypass, warning string) string {
		t.Helper()
		r := simtcRun("compile", path, "-k", kernel, "--width", "16", "--linearize", linearizer, "--bypass", bypass, "--target", simtc.AVX512, "--json")
		require.Zero(t, r.code, r.err)
		if warning != "" {
			line := 2
			if kernel == "tangled" {
				line = 11
			}
			warning = path + warning + "\n    " + lines[line-1] + "\n" + strings.Repeat(" ", 4+strings.Index(lines[line-1], kernel)) + "^\n"
		}
		require.Equal(t, warning, r.err)
		var j compileReport
		require.NoError(t, json.Unmarshal([]byte(r.out), &j), "one object")
		return j.Text
	}
	zeros, both := code("nested", "blockip", "zeros", ""), code("nested", "blockip", "both", "")
	require.NotEqual(t, zeros, both)
	require.Equal(t, zeros, code("nested", "blockip", "none", ":2:15: warning: kernel nested: blockip does not support bypass none; using zeros"))
	require.Equal(t, both, code("nested", "blockip", "ones", ":2:15: warning: kernel nested: blockip does not support bypass ones; using both"))
	require.Equal(t, both, code("nested", "blockip", "all", ":2:15: warning: kernel nested: blockip does not support bypass all; using both"))
	deferred := simtcRun("compile", path, "--emit", "vir", "-k", "nested", "--linearize", "blockip", "--divergence", "defer", "--width", "16", "--target", "vir")
	require.Zero(t, deferred.code, deferred.err)
	require.Contains(t, deferred.out, "vir nested width 16 ")
	require.NotContains(t, []string{zeros, both}, deferred.out)
	require.NotEqual(t, zeros, code("nested", "blockip", "fold", ""))
	tangled := code("tangled", "blockip", "both", "")
	require.Equal(t, tangled, code("tangled", "partial", "both", ":11:15: warning: kernel tangled: partial supports cycles with several entries only at width 1; using blockip"))

	r := simtcRun("run", path, "-k", "tangled", "-g", "16", "--linearize", "partial", "--width", "16", "--target", simtc.WASM, "--json", "-n", "0", "b:uint:32:index")
	require.Zero(t, r.code, r.err)
	require.Contains(t, r.err, ":11:15: warning: ")
	require.True(t, json.Valid([]byte(r.out)))
	r = simtcRun("check", path, "-k", "nested", "-g", "16", "--bypass", "none", "--target", simtc.VIR, "b:uint:32:index", "int:4")
	require.Equal(t, 1, strings.Count(r.err, "warning: "), r.err)
}

// TestSearchAtAPageEnd runs iterations of searches as lanes in objects, which are not told the sizes
// of buffers: texts that end at an unmapped page, at every distance from it and with matches at
// every place around the ends of pages. No lane may read a page that no iteration of the search reads.
func TestSearchAtAPageEnd(t *testing.T) {
	cc, err := exec.LookPath("gcc")
	if err != nil || runtime.GOARCH != "amd64" {
		t.Skip("SKIPPED: no gcc for amd64 on this machine, nothing is linked")
	}
	if err := simtc.Available(simtc.AVX512); err != nil {
		t.Skipf("SKIPPED: %v", err)
	}
	example, err := os.ReadFile("../../examples/c/main.c")
	require.NoError(t, err)
	runs, _, _ := strings.Cut(strings.ReplaceAll(string(example), "DECLARE(saxpy)", "DECLARE(find)"), "enum { N")
	for _, c := range []struct{ name, loop, found, before, other, length string }{
		{"first", "if (text[i] == 7) break;", "7", "1", "1", "place"},
		{"strings", "if (text[i] == 0 || text[i] != other[i]) break;", "0", "1", "1", "place"},
		{"condition", "if (text[i] == 2 && other[i] == 7) break;", "2", "1 + k % 3", "7", "place + 1"},
		{"condition after an exit", "if (text[i] == 7) break; if (text[i] == 2 && other[i] == 7) break;", "7", "1 + k % 3", "1", "place"},
		{"inner loop", "int k = 0; while (k < 2 && text[i] == 2 && other[i] == 1) k++; if (text[i] == 7) break;", "7", "1 + k % 3", "1", "place"},
	} {
		t.Run(c.name, func(t *testing.T) {
			path := file(t, "find.cl", `__kernel void find(__global const uchar *text, __global const uchar *other, __global int *at, int n) {
  int i = 0;
  for (; i < n; i++) { `+c.loop+` }
  at[0] = i;
}`)
			object := strings.TrimSuffix(path, ".cl") + ".o"
			source := file(t, "main.c", "#define _GNU_SOURCE\n#include <sys/mman.h>\n#include <string.h>\n"+runs+`
enum { PAGE = 4096, N = 3 * PAGE };
static unsigned char *pages(void) {
  unsigned char *p = mmap(0, N + PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  mprotect(p + N, PAGE, PROT_NONE);
  return p + N;
}
int main(void) {
  unsigned char *p = pages(), *q = pages();
  int wrong = 0, at;
  for (int n = 1; n < 2 * PAGE + 200; n = n < 200 || n > 2 * PAGE - 100 ? n + 1 : n + 61)
    for (int place = n - 1; place >= 0 && place > n - 130; place -= 1 + place % 3) {
      unsigned char *text = p - n, *other = q - (`+c.length+`);
      for (int k = 0; k < n; k++) text[k] = `+c.before+`;
      memset(q - N, 1, N);
      if (`+c.length+` > place) other[place] = `+c.other+`;
      text[place] = `+c.found+`;
      struct { const unsigned char *text, *other; int *at; int n; } args = {text, other, &at, 1 << 30};
      at = -1;
      run((struct kernel)KERNEL(find), &args, 1, 1);
      wrong += at != place;
    }
  printf("%d wrong\n", wrong);
  return 0;
}`)
			for _, width := range []string{"16", "64"} {
				ok(t, "compile", path, "-o", object, "--noalias", "--lanes", "iterations", "--width", width)
				program := filepath.Join(t.TempDir(), "find")
				out, err := exec.Command(cc, "-w", "-O1", source, object, "-o", program).CombinedOutput()
				require.NoError(t, err, "%s", out)
				out, err = exec.Command(program).CombinedOutput()
				require.NoError(t, err, "%s", out)
				require.Equal(t, "0 wrong\n", string(out), width)
			}
		})
	}
}
