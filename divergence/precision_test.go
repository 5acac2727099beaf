package divergence_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/simtc/simtc/clc"
	"github.com/simtc/simtc/divergence"
	"github.com/simtc/simtc/opt"
	"github.com/simtc/simtc/utest/runfile"
)

// TestPrecision counts the uniform and strided values in the kernels of utest: the shares must
// not fall. docs/linearization.md quotes them in percent, to which a kernel more makes no difference;
// -update refreshes them. -v prints the counts by file.
func TestPrecision(t *testing.T) {
	files, err := filepath.Glob("../utest/kernels/*.cl")
	require.NoError(t, err)
	var all divergence.Counts
	for _, path := range files {
		f, err := runfile.Read(path)
		require.NoError(t, err)
		m, err := clc.Compile(path, f.Source, optionsOf(f.Runs[0]))
		require.NoError(t, err)
		var file divergence.Counts
		for _, f := range m.Funcs {
			for _, p := range opt.Passes {
				p.Run(f, nil)
			}
			file = file.Add(divergence.Analyze(f, divergence.Options{Width: 16}).Count())
		}
		t.Logf("%-28s %s", filepath.Base(path), file)
		all = all.Add(file)
	}
	t.Logf("%-28s %s", "all", all)
	a := all.Accesses
	memory := a[divergence.AccessUniform] + a[divergence.AccessContiguous] + a[divergence.AccessStrided] + a[divergence.AccessVarying]
	require.Greater(t, memory, 2000, "too few kernels")
	require.GreaterOrEqual(t, 100*all.Uniform/all.Branches, 44)
	require.GreaterOrEqual(t, 100*(memory-a[divergence.AccessVarying])/memory, 73)

	const page = "../docs/linearization.md"
	text, err := os.ReadFile(page)
	require.NoError(t, err)
	quoted := regexp.MustCompile(`(?s)Over the kernels\nof the tests, .*? anywhere `)
	require.Len(t, quoted.FindAll(text, -1), 1)
	percent := func(n, all int) int { return (200*n + all) / (2 * all) }
	shares := []any{percent(all.Uniform, all.Branches), percent(a[divergence.AccessUniform], memory), percent(a[divergence.AccessContiguous], memory),
		percent(a[divergence.AccessStrided], memory), percent(a[divergence.AccessVarying], memory)}
	const sentence = "Over the kernels\nof the tests, %d%% of the branches are uniform, and of the accesses to memory other\n" +
		"than private %d%% are at one address, %d%% side by side, %d%% at even distances and\n%d%% anywhere "
	if flag.Lookup("update").Value.String() == "true" {
		require.NoError(t, os.WriteFile(page, quoted.ReplaceAllLiteral(text, []byte(fmt.Sprintf(sentence, shares...))), 0o666))
		return
	}
	var stated [5]int
	_, err = fmt.Sscanf(string(quoted.Find(text)), sentence, &stated[0], &stated[1], &stated[2], &stated[3], &stated[4])
	require.NoError(t, err)
	for i, n := range stated {
		require.InDelta(t, shares[i], n, 1, "%s is stale: run with -update", page)
	}
}

// optionsOf returns the options in the words of a run line.
func optionsOf(r *runfile.Run) clc.Options {
	out := clc.Options{Std: r.Flag("--cl-std")}
	for i, w := range r.Words[1:] {
		if r.Words[i] == "-D" {
			out.Defines = append(out.Defines, w)
		}
	}
	return out
}
