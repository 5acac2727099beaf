package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/simtc/simtc"
	"github.com/simtc/simtc/internal/golden"
)

// Each file has sources, the words of the command, and what is printed for it:
// macros, included files, functions called twice, built-in functions, kernel IR.
func TestProfileText(t *testing.T) {
	golden.Run(t, "testdata/profile/*.txtar", func(t *testing.T, files map[string]string) map[string]string {
		dir := t.TempDir() + string(filepath.Separator)
		for name, text := range files {
			if ext := filepath.Ext(name); ext == ".cl" || ext == ".h" || ext == ".simt" {
				require.NoError(t, os.WriteFile(dir+name, []byte(text), 0o666))
			}
		}
		words := append([]string{"run", "--profile", "-n0"}, strings.Fields(dir+files["args"])...)
		profile := func(more ...string) string {
			_, out, _ := strings.Cut(ok(t, append(words, more...)...), "profile: ")
			return strings.ReplaceAll(out, dir, "")
		}
		out := profile("--target", "wasm-simd")
		require.NotEmpty(t, out)
		for _, target := range []string{simtc.WASM, simtc.VIR, simtc.AVX512} {
			if simtc.Available(target) != nil {
				continue
			}
			for _, threads := range []string{"1", "3"} {
				require.Equal(t, out, profile("--target", target, "--threads", threads), "every target counts the same, with %s threads", threads)
			}
		}
		return map[string]string{"profile": out}
	})
}

func TestProfileJSON(t *testing.T) {
	path := file(t, "halves.cl", `
__kernel void halves(__global int *p) {
  int i = get_global_id(0);
  if (i & 1)
    p[i] += 3;
}
`)
	for _, target := range []string{"wasm-simd", "vir", "interp"} {
		var j struct {
			Width   int
			Buffers []struct{ Sum float64 }
			Profile struct {
				Width      int
				Efficiency float64
				Blocks     []struct {
					Name, File  string
					Line, Ops   int
					Runs, Lanes uint64
					AvgLanes    float64 `json:"avg_lanes"`
				}
				Lines []struct {
					File            string
					Line, Ops       int
					Runs            uint64
					AvgLanes, Share float64
				}
			}
		}
		out := ok(t, "run", "--json", "--profile", path, "-n", "3", "-g", "20", "--width", "4", "--target", target, "b:int:20")
		require.NoError(t, json.Unmarshal([]byte(out), &j))
		require.Equal(t, 30.0, j.Buffers[0].Sum)
		p := j.Profile
		width := 4
		if target == "interp" {
			width = 1
		}
		require.Equal(t, width, p.Width, target)
		require.Len(t, p.Blocks, 3, target)
		require.EqualValues(t, 20, p.Blocks[0].Lanes, target)
		require.EqualValues(t, 20/width, p.Blocks[0].Runs, target)
		require.EqualValues(t, 10, p.Blocks[1].Lanes, target)
		require.Equal(t, path, p.Blocks[1].File)
		require.Equal(t, 5, p.Blocks[1].Line)
		require.Equal(t, 5, p.Lines[len(p.Lines)-1].Line)
		share := 0.0
		for _, l := range p.Lines {
			share += l.Share
		}
		require.InDelta(t, 1, share, 1e-9)
		if target == "interp" {
			require.Equal(t, 1.0, p.Efficiency)
			continue
		}
		require.Equal(t, 2.0, p.Blocks[1].AvgLanes)
		require.Less(t, 0.5, p.Efficiency)
		require.Less(t, p.Efficiency, 1.0)
	}
}

// The buffers printed, the number of runs and everything else of the report is
// what it is without --profile.
func TestProfileChangesNothingElse(t *testing.T) {
	path := file(t, "saxpy.cl", saxpy)
	args := append([]string{"run", path, "-n0", "--head", "5"}, saxpyArgs...)
	plain, with := ok(t, args...), ok(t, append(args, "--profile")...)
	times := regexp.MustCompile(`[\d.]+ ms`)
	with, _, found := strings.Cut(with, "profile: ")
	require.True(t, found)
	require.Equal(t, times.ReplaceAllString(plain, ""), times.ReplaceAllString(with, ""))
}
