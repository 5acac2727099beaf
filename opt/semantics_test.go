package opt_test

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/simtc/simtc/clc"
	"github.com/simtc/simtc/internal/ndarg"
	"github.com/simtc/simtc/kernel"
	"github.com/simtc/simtc/launch"
	"github.com/simtc/simtc/opt"
	"github.com/simtc/simtc/utest/fuzz"
	"github.com/simtc/simtc/utest/runfile"
)

// allPasses lists the passes of the compiler for one lane, in order.
var allPasses = slices.Concat(opt.Passes, opt.SingleLane[:len(opt.SingleLane)-len(opt.Canonicalize)])

// maxSteps bounds the operations of one work-item.
const maxSteps = 1 << 24

// checkPasses runs the case before all passes and after every one, compares the results, and
// returns the counts of the passes.
func checkPasses(t *testing.T, c *fuzz.Case) opt.Stats {
	t.Helper()
	want, err := c.Run(context.Background(), launch.NewInterpreter(c.Kernel, maxSteps, false))
	require.NoError(t, err)
	f, err := fuzz.Clone(c.Kernel)
	require.NoError(t, err)
	st := opt.Stats{}
	for _, p := range allPasses {
		p.Run(f, st)
		require.NoError(t, kernel.Verify(f), "seed %d after %s\n%s", c.Seed, p.Name, c.Source)
		got, err := c.Run(context.Background(), launch.NewInterpreter(f, maxSteps, false))
		require.NoError(t, err, "seed %d after %s\n%s", c.Seed, p.Name, c.Source)
		require.NoError(t, c.Compare(want, got), "seed %d after %s\n%s", c.Seed, p.Name, c.Source)
	}
	return st
}

func cases() int64 {
	if testing.Short() {
		return 50
	}
	return 80
}

// Random kernels, reducible or not, have the same results after every pass.
func TestPassesKeepKernels(t *testing.T) {
	counts := opt.Stats{}
	for seed := range cases() {
		for name, n := range checkPasses(t, fuzz.Kernel(seed, fuzz.Options{Reducible: seed%2 == 0})) {
			counts.Add(name, n)
		}
	}
	for _, name := range []string{"loops unswitched", "load PRE parameters"} {
		require.Positive(t, counts[name], "no random kernel triggers %q", name)
	}
}

// Random kernels have the same results after Nest separates all back edges that it can,
// whether that is profitable or not.
func TestNestedLoopsKeepKernels(t *testing.T) {
	made := 0
	for seed := range 5 * cases() { // few loops have back edges that keep a parameter
		c := fuzz.Kernel(seed, fuzz.Options{Reducible: seed%4 != 0})
		want, err := c.Run(context.Background(), launch.NewInterpreter(c.Kernel, maxSteps, false))
		require.NoError(t, err)
		f, err := fuzz.Clone(c.Kernel)
		require.NoError(t, err)
		for _, p := range opt.Passes {
			p.Run(f, nil)
		}
		n := opt.NestAny(f)
		if made += n; n == 0 {
			continue
		}
		afterNest := 1 + slices.IndexFunc(opt.SingleLane, func(p opt.Pass) bool { return p.Name == "nest" })
		for _, p := range opt.SingleLane[afterNest:] {
			p.Run(f, nil)
			require.NoError(t, kernel.Verify(f), "seed %d after %s\n%s", seed, p.Name, f)
		}
		got, err := c.Run(context.Background(), launch.NewInterpreter(f, maxSteps, false))
		require.NoError(t, err, "seed %d", seed)
		require.NoError(t, c.Compare(want, got), "seed %d", seed)
	}
	require.Greater(t, made, int(cases()/30))
}

// Random OpenCL C programs have the same results after every pass.
func TestPassesKeepPrograms(t *testing.T) {
	counts := opt.Stats{}
	for seed := range cases() {
		c, err := fuzz.Program(seed, fuzz.ProgramOptions{})
		require.NoError(t, err)
		for name, n := range checkPasses(t, c) {
			counts.Add(name, n)
		}
	}
	require.Positive(t, counts["back edges threaded out of loops"])
}

// The end-to-end kernels produce the checksum of the first run line of their headers after
// all passes. Package utest runs the other lines.
func TestPassesKeepChecksums(t *testing.T) {
	paths, err := filepath.Glob(filepath.Join("..", "utest", "kernels", "*.cl"))
	require.NoError(t, err)
	require.NotEmpty(t, paths)
	for _, path := range paths {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".cl"), func(t *testing.T) {
			t.Parallel()
			file, err := runfile.Read(path)
			require.NoError(t, err)
			require.NotEmpty(t, file.Runs)
			checkRun(t, path, file.Source, file.Runs[0])
		})
	}
}

func checkRun(t *testing.T, path, source string, r *runfile.Run) {
	var words, defines []string
	name := r.Flag("-k")
	dims := func(flag string) []uint64 {
		if r.Flag(flag) == "" {
			return nil
		}
		d, err := ndarg.ParseDims(r.Flag(flag))
		require.NoError(t, err)
		return d
	}
	for i := 0; i < len(r.Words); i++ {
		switch w := r.Words[i]; {
		case w == "-D":
			i++
			defines = append(defines, r.Words[i])
		case strings.HasPrefix(w, "-"):
			i++
		default:
			words = append(words, w)
		}
	}
	m, err := clc.Compile(path, source, clc.Options{Std: r.Flag("--cl-std"), Defines: defines, Include: readBeside(path)})
	require.NoError(t, err)
	var f *kernel.Func
	for _, g := range m.Funcs {
		if g.Name == name {
			f = g
		}
	}
	require.NotNil(t, f)
	for _, p := range allPasses {
		p.Run(f, nil)
		require.NoError(t, kernel.Verify(f), "after %s", p.Name)
	}
	specs, err := ndarg.ParseArgs(words)
	require.NoError(t, err)
	args, buffers := make([]launch.Arg, len(specs)), make([][]byte, len(specs))
	for i, a := range specs {
		switch a.Kind {
		case ndarg.Buffer:
			buffers[i], err = a.New()
			require.NoError(t, err)
			args[i] = launch.Buffer(buffers[i])
		case ndarg.Value:
			args[i] = launch.Bytes(a.Value)
		default:
			t.Skip("local memory")
		}
	}
	if f.VariablesArg() >= 0 {
		variables, release, err := launch.NewVariables(f.Data).Hold(context.Background())
		require.NoError(t, err)
		defer release()
		args = append(args, variables)
	}
	rng := launch.Of(dims("-g")...).WithLocal(dims("-l")...).WithOffset(dims("--offset")...)
	require.NoError(t, launch.NewInterpreter(f, 0, false).Launch(context.Background(), rng, args, 1))
	for _, s := range r.Sums {
		require.Equal(t, s.Hash, ndarg.FormatHash(ndarg.Hash(buffers[s.Arg])), "line %d, argument %d", r.Line, s.Arg)
	}
}

func readBeside(path string) func(name, from string, angled bool) (string, string, error) {
	return func(name, _ string, _ bool) (string, string, error) {
		at := filepath.Join(filepath.Dir(path), name)
		text, err := os.ReadFile(at)
		return at, string(text), err
	}
}
