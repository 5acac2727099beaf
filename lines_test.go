package simtc_test

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/simtc/simtc"
)

// A program with lines in an included file, and lines that #line gives another location.
const (
	severalFiles = `#include "x.h"
kernel void included(global int *a, int far) { put(a, 7, far); }
#line 70 "x.h"
kernel void other(global int *a, int far) {
  a[get_global_id(0) + (far << 29)] = 7;
}
#line 70
kernel void same(global int *a, int far) {
  if (a[get_global_id(0)] > 2)
    a[get_global_id(0) + (far << 29)] = 6;
}
`
	includedFile = `

void put(global int *a, int v, int far) {
  if (a[get_global_id(0)] > 2)
    a[get_global_id(0) + (far << 29)] = v;
}
`
)

func compileSeveralFiles(t *testing.T, opt simtc.Options) *simtc.Program {
	opt.File = "main.cl"
	opt.Include = func(name, _ string, _ bool) (string, string, error) {
		if name == "x.h" {
			return name, includedFile, nil
		}
		return "", "", errors.New("no such file")
	}
	return compile(t, severalFiles, opt)
}

var severalPlaces = []struct{ kernel, file, line, text string }{
	{"included", "x.h", "5", "a[get_global_id(0) + (far << 29)] = v;"},
	{"other", "x.h", "71", "a[get_global_id(0) + (far << 29)] = 7;"},
	{"same", "x.h", "72", "a[get_global_id(0) + (far << 29)] = 6;"},
}

// Faults have the location in the file where they happen, with its text and a caret, the same on all
// targets.
func TestFaultsInOtherFiles(t *testing.T) {
	columns := map[string]int{}
	for _, opt := range []simtc.Options{
		{Strategy: simtc.Strategy{Target: simtc.Interpreter}}, {Strategy: simtc.Strategy{Target: simtc.VIR}}, {Strategy: simtc.Strategy{Target: simtc.WASM}}, {Strategy: simtc.Strategy{Target: simtc.AVX512, Width: 16}, Emulate: true}, {Strategy: simtc.Strategy{Target: simtc.AVX512, Width: 1}, Emulate: true},
		{Strategy: simtc.Strategy{Target: simtc.AVX512, Width: 16}}, {Strategy: simtc.Strategy{Target: simtc.AVX512, Width: 1}},
	} {
		if opt.Target == simtc.AVX512 && !opt.Emulate && simtc.Available(simtc.AVX512) != nil {
			continue
		}
		p := compileSeveralFiles(t, opt)
		for _, c := range severalPlaces {
			k, err := p.Kernel(c.kernel)
			require.NoError(t, err)
			err = k.Launch(context.Background(), simtc.NDRange(16), []int32{3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3}, 1)
			at := c.file + ":" + c.line
			require.ErrorContains(t, err, ": "+at+":", "%s", p.Target())
			var f *simtc.Fault
			require.ErrorAs(t, err, &f)
			require.Equal(t, c.file, f.File)
			if columns[c.kernel] == 0 {
				columns[c.kernel] = f.Column
			}
			require.Positive(t, f.Column)
			require.Equal(t, columns[c.kernel], f.Column, p.Target())
			require.Regexp(t, `\n +\^\n$`, f.Detail())
			require.Contains(t, f.Detail(), at)
			require.Contains(t, f.Detail(), "  "+c.text+"\n", "%s", p.Target())
		}
	}
}

// Listings name the file of lines outside of the main file, and show their text.
func TestListingsOfOtherFiles(t *testing.T) {
	p := compileSeveralFiles(t, simtc.Options{Strategy: simtc.Strategy{Width: 4}})
	for kind, begin := range map[string]string{"asm": "# ", "wat": ";; "} {
		for _, c := range severalPlaces {
			k, err := p.Kernel(c.kernel)
			require.NoError(t, err)
			out, err := k.Emit(kind)
			require.NoError(t, err)
			require.Contains(t, string(out), begin+c.file+":"+c.line+": "+c.text+"\n", kind)
		}
	}
}

// Remarks and profiles show the text of lines that #line gives another location.
func TestTextOfMovedLines(t *testing.T) {
	p := compileSeveralFiles(t, simtc.Options{Strategy: simtc.Strategy{Target: simtc.WASM, Width: 4}})
	k, err := p.Kernel("same")
	require.NoError(t, err)
	rs, err := k.Remarks()
	require.NoError(t, err)
	require.Contains(t, p.FormatRemarks(rs), "  if (a[get_global_id(0)] > 2)\n                          ^\nx.h:71:27: remark: ")
	profile, err := k.Profile(context.Background(), simtc.NDRange(16), make([]int32, 16), 1)
	require.NoError(t, err)
	require.Equal(t, "x.h", profile.Lines[0].File)
	require.Equal(t, 71, profile.Lines[0].Line)
	file, line := profile.Lines[0].Text()
	require.Equal(t, "main.cl", file)
	require.Equal(t, 9, line)
}
