package main

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/simtc/simtc"
)

const remarkable = `__kernel void k(__global int *p, __global const int *q, int n) {
  int i = get_global_id(0);
  if (n > 3)
    p[i] = q[i * 9] + q[n];
}
__kernel void other(__global int *p, int n) {
  p[get_global_id(0) * 9] = n;
}
`

func TestRemarksText(t *testing.T) {
	path := file(t, "k.cl", remarkable)
	out := ok(t, "compile", path, "--remarks", "--width", "16", "--target", "vir", "--linearize", "partial", "--bypass", "none")
	lines := strings.Split(out, "\n")
	require.Equal(t, "  if (n > 3)", lines[0])
	require.Equal(t, "        ^", lines[1])
	require.Regexp(t, `k\.cl:3:9: remark: \[kept\] uniform branch kept: .* \(kernel k\)$`, lines[2])
	require.Regexp(t, `(?m)^.*k\.cl:4:[0-9]+: remark: \[gather\] gather of 16 i32 from .q., .*: neighbouring lanes are 36 bytes apart \(9 elements\) \(kernel k\)$`, out)
	require.Regexp(t, `(?m)^.*k\.cl:7:[0-9]+: remark: \[scatter\] .* \(kernel other\)$`, out)
	require.Equal(t, 1, strings.Count(out, "help: it is contiguous if"), "said once")
	require.NotContains(t, out, "[broadcast]")

	out = ok(t, "compile", path, "-k", "k", "--remarks=all", "--width", "16", "--target", "vir")
	require.Contains(t, out, "[broadcast]")
	require.NotContains(t, out, "[scatter]")

	both := simtcRun("compile", path, "--remarks", "--stats", "--target", "vir")
	require.Zero(t, both.code, both.err)
	require.Contains(t, both.out, "[scatter]")
	require.Contains(t, both.err, "kernel other")
	require.NotContains(t, out, "(kernel k)", "there is one")
	out = ok(t, "compile", path, "--remarks=scatter,broadcast", "--width", "16", "--target", "vir")
	require.Equal(t, 1, strings.Count(out, "[scatter]"))
	require.Equal(t, 1, strings.Count(out, "[broadcast]"))
	require.NotContains(t, out, "[gather]")
}

// Beside another output remarks go to the standard error.
func TestRemarksAside(t *testing.T) {
	path := file(t, "k.cl", remarkable)
	for _, words := range [][]string{
		{"compile", path, "-k", "other", "--emit", "kernel", "--remarks", "--target", "vir"},
		{"run", path, "-k", "other", "--remarks", "--width", "4", "--target", "vir", "-g", "8", "-n", "0", "b:int:240", "int:3"},
	} {
		var stdout, stderr bytes.Buffer
		require.Zero(t, run(context.Background(), words, &stdout, &stderr), stderr.String())
		require.Contains(t, stderr.String(), "remark: [scatter]")
		require.NotContains(t, stdout.String(), "remark:")
		require.NotEmpty(t, stdout.String())
	}
}

func TestRemarksJSON(t *testing.T) {
	path := file(t, "k.cl", remarkable)
	type remark struct {
		File, Kernel, Kind, Text, Help string
		Line, Column, Width, Count     int
		NS                             float64
		Chain                          []struct {
			File, Text   string
			Line, Column int
		}
	}
	for _, words := range [][]string{
		{"compile", path, "-k", "other", "--remarks=scatter", "--width", "16", "--target", "vir"},
		{"compile", path, "-k", "other", "--remarks=scatter", "--width", "16", "--emit", "vir", "--target", "vir"},
		{"run", path, "-k", "other", "--remarks=scatter", "--width", "16", "--target", "vir", "-g", "8", "-n", "0", "b:int:240", "int:3"},
	} {
		var j struct{ Remarks []remark }
		out := ok(t, append(words, "--json")...)
		require.Equal(t, 1, strings.Count(out, "\n"))
		require.NoError(t, json.Unmarshal([]byte(out), &j))
		require.Len(t, j.Remarks, 1)
		r := j.Remarks[0]
		require.Equal(t, path, r.File)
		require.Equal(t, remark{
			File: path, Kernel: "other", Kind: "scatter", Text: r.Text, Help: r.Help, Line: 7, Column: 27, Width: 16, Count: 1, NS: r.NS, Chain: r.Chain,
		}, r)
		require.Positive(t, r.NS)
	}
	out := ok(t, "compile", path, "-k", "other", "--remarks=division", "--json", "--target", "vir")
	require.Equal(t, "{\"remarks\":[]}\n", out)
}

func TestRemarksUsage(t *testing.T) {
	path := file(t, "k.cl", remarkable)
	for _, words := range [][]string{
		{"compile", path, "--remarks=gathers"},
		{"run", path, "-k", "other", "-g", "8", "--remarks=gathers", "b:int:240", "int:3"},
	} {
		var out bytes.Buffer
		require.Equal(t, exitUsage, run(context.Background(), words, &out, &out))
		require.Contains(t, out.String(), `invalid remark kind "gathers": want default, all or some of width,`)
	}
}

// The document names every kind.
func TestKindsAreDocumented(t *testing.T) {
	text, err := os.ReadFile("../../docs/remarks.md")
	require.NoError(t, err)
	for _, k := range simtc.RemarkKinds() {
		row := "| `" + k.Name + "` | " + k.About
		if k.Quiet {
			row += " (only if asked for)"
		}
		require.Contains(t, string(text), row+" |\n")
	}
}
