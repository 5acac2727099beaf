package main

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/simtc/simtc"
	"github.com/simtc/simtc/launch/native"
)

// levels are the processors that commands are tried as on: the name, the level of the
// instruction set, and what run takes without --target.
var levels = []struct {
	name   string
	level  native.Level
	target string
}{
	{"AVX-512", native.V4, simtc.AVX512},
	{"AVX2", native.V3, simtc.AVX2},
	{"SSE", 0, simtc.WASM},
}

// onEachLevel runs a test as on a processor of each level. Code of a level that this one
// lacks is emulated.
func onEachLevel(t *testing.T, test func(t *testing.T, level native.Level, target string)) {
	for _, l := range levels {
		t.Run(l.name, func(t *testing.T) {
			defer native.Assume(l.level)()
			test(t, l.level, l.target)
		})
	}
}

const profiled = `__kernel void work(__global uint *out) {
  size_t i = get_global_id(0);
  uint n = i + 1, count = 0;
  while (n > 1) {
    n = n & 1 ? 3 * n + 1 : n / 2;
    count++;
  }
  out[i] = count;
}
`

// Without --target, every command takes the same target.
func TestDefaultTargetOnProcessors(t *testing.T) {
	path := file(t, "work.cl", profiled)
	onEachLevel(t, func(t *testing.T, _ native.Level, target string) {
		var version versionReport
		require.NoError(t, json.Unmarshal([]byte(ok(t, "version", "--json")), &version))
		require.Equal(t, target == simtc.AVX512, version.Targets[simtc.AVX512] == "ok")
		require.Equal(t, target != simtc.WASM, version.Targets[simtc.AVX2] == "ok")
		require.Equal(t, target, version.Default)
		require.Equal(t, "ok", version.Targets[simtc.WASM])

		var run runReport
		require.NoError(t, json.Unmarshal([]byte(ok(t, "run", path, "--json", "-n0", "-g", "100", "b:uint:100")), &run))
		require.Equal(t, target, run.Target)

		for _, emit := range []string{"ast", "kernel", "divergence", "loops", "joins", "vir", "dot", "plan", ""} {
			var c compileReport
			require.NoError(t, json.Unmarshal([]byte(ok(t, "compile", path, "--json", "--emit", emit)), &c), emit)
			require.Equal(t, target, c.Target, emit)
		}
		require.Contains(t, ok(t, "compile", path, "--emit", "plan"), "plan of work for "+target)
		require.NotEmpty(t, ok(t, "compile", path, "--remarks=all"))
		shown := map[string]string{simtc.AVX512: ".intel_syntax", simtc.AVX2: ".intel_syntax", simtc.WASM: "(module"}
		require.Contains(t, ok(t, "compile", path), shown[target])
	})
}

// Code for others is made wherever the compiler runs.
func TestCodeIsMadeOnAllProcessors(t *testing.T) {
	path := file(t, "work.cl", profiled)
	first := map[string]string{}
	onEachLevel(t, func(t *testing.T, _ native.Level, _ string) {
		for _, emit := range []string{"asm", "obj", "goasm", "wasm", "wat"} {
			out := filepath.Join(t.TempDir(), "out")
			var c compileReport
			require.NoError(t, json.Unmarshal([]byte(ok(t, "compile", path, "--json", "--emit", emit, "-o", out)), &c))
			text := ok(t, "compile", path, "--emit", emit, "-o", "-")
			require.Equal(t, len(text), c.Bytes)
			if first[emit] == "" {
				first[emit] = text
			}
			require.Equal(t, first[emit], text, emit)
		}
	})
}

// Every target and width either runs, with the same result, or says what the processor lacks.
func TestRunsOnProcessors(t *testing.T) {
	path := file(t, "work.cl", profiled)
	turn := 0
	onEachLevel(t, func(t *testing.T, level native.Level, _ string) {
		turn++
		for i, target := range append(simtc.Targets(), "") {
			for j, width := range []string{"auto", "1", "8"} {
				// One of the flags in turn, another on the next level.
				more := []string{"--no-tuning", "--profile", "--remarks=all", "--stats"}[(turn+i+j)%4]
				args := []string{"run", path, "-n1", "-g", "1000", "--width", width, more, "b:uint:1000"}
				if target != "" {
					args = append(args, "--target", target)
				}
				r := simtcRun(args...)
				if target == simtc.AVX512 && level < native.V4 || target == simtc.AVX2 && level < native.V3 {
					require.Equal(t, exitError, r.code, "%v", args)
					require.Contains(t, r.err, "native code cannot run here: a processor below x86-64-v", "%v", args)
					continue
				}
				if target == simtc.Interpreter && width == "8" && r.code != 0 {
					continue
				}
				require.Zero(t, r.code, "%v: %s", args, r.err)
				require.Contains(t, r.out, "fnv1a64 e1daae28a5c78685", "%v", args)
				require.Equal(t, more == "--profile", strings.Contains(r.out, "SIMD efficiency"), "%v", args)
			}
		}
		args := []string{"run", path, "-n0", "-g", "100", "--emulate", "--width", "8", "b:uint:100"}
		require.Contains(t, ok(t, args...), "work on avx512 (partial, width 8)")
	})
}

// check compares avx512 code on every processor, with the emulator if need be.
func TestCheckOnProcessors(t *testing.T) {
	path := file(t, "work.cl", profiled)
	onEachLevel(t, func(t *testing.T, level native.Level, _ string) {
		var c checkReport
		require.NoError(t, json.Unmarshal([]byte(ok(t, "check", path, "--json", "--linearize", "partial", "-g", "37", "b:uint:37")), &c))
		require.True(t, c.OK)
		targets := map[string]bool{}
		for _, row := range c.Rows[1:] {
			require.Equal(t, "same", row.Result, fmt.Sprint(row))
			require.Equal(t, row.Target == simtc.AVX512 && level < native.V4 || row.Target == simtc.AVX2 && level < native.V3, row.Emulated)
			targets[row.Target] = true
		}
		require.Equal(t, map[string]bool{simtc.AVX512: true, simtc.AVX2: true, simtc.WASM: true, simtc.VIR: true}, targets)
	})
}
