package utest

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/simtc/simtc"
	"github.com/simtc/simtc/internal/ndarg"
	"github.com/simtc/simtc/utest/runfile"
)

// TestKernels runs every run line of every end-to-end kernel with a sample of the
// strategies, or all with -long, and compares the checksums. To run a single one:
//
//	go test ./utest -run 'TestKernels/collatz/1/avx512/16$'
func TestKernels(t *testing.T) {
	paths := append(sources(t, "kernels/*.cl"), sources(t, "../examples/*.cl")...)
	paths = append(paths, sources(t, "testdata/cl2/*.cl")...) // require OpenCL C 2.0
	paths = append(paths, sources(t, "bench/shapes/*.cl")...)
	var all counters
	runs := 0
	for _, path := range paths {
		f, err := runfile.Read(path)
		require.NoError(t, err)
		runs += len(f.Runs)
	}
	t.Cleanup(func() { // after the parallel subtests
		if all.runs == runs && !t.Failed() {
			all.check(t)
		}
	})
	for _, path := range paths {
		id := name(path)
		if strings.HasPrefix(path, "../examples") {
			id = "example_" + id
		}
		if strings.HasPrefix(path, "bench/shapes") {
			id = "shape_" + id
		}
		t.Run(id, func(t *testing.T) {
			t.Parallel()
			f, err := runfile.Read(path)
			require.NoError(t, err)
			programs := programs{source: f.Source, byOptions: map[string]*simtc.Program{}}
			defer programs.close(t)
			for i, line := range f.Runs {
				require.NotEmpty(t, line.Sums, "line %d: a run without sums tests nothing", line.Line)
				t.Run(fmt.Sprint(i+1), func(t *testing.T) {
					r, err := readRun(path, line)
					require.NoError(t, err)
					testKernel(t, &programs, r, i, &all)
				})
			}
		})
	}
}

// testKernel runs one run line with a sample of the strategies, all of them in long tests.
func testKernel(t *testing.T, programs *programs, r *testRun, line int, total *counters) {
	p := programs.get(t, r.opt)
	k, err := p.Kernel(r.kernel)
	require.NoError(t, err)

	var reference [][]byte
	t.Run("interp", func(t *testing.T) {
		reference = runOne(t, r, k, simtc.Strategy{Target: simtc.Interpreter}, nil)
	})
	t.Run("optimized", func(t *testing.T) { runOptimized(t, r, k, reference) })
	subGroups := knowsSubGroups(t, k)
	ranged, err := k.For(r.rng)
	require.NoError(t, err)
	all := ways(t, ranged, *long)
	for i, w := range all {
		counts := w.Width == 1 // even if it is not run: some passes apply only to one-lane code
		t.Run(w.String(), func(t *testing.T) {
			sample(t, all, i, line == 0)
			counts = true
			if subGroups {
				runSubGroups(t, r, k, w)
				return
			}
			runOne(t, r, k, w, reference)
		})
		if counts {
			total.add(t, k, w)
		}
	}
	total.Lock()
	total.runs++
	total.Unlock()
}

// knowsSubGroups reports whether the results of the kernel may depend on the width.
func knowsSubGroups(t *testing.T, k *simtc.Kernel) bool {
	one, err := k.With(simtc.Strategy{Target: simtc.Interpreter})
	require.NoError(t, err)
	n, err := one.Width()
	require.NoError(t, err)
	return n != 0
}

// runSubGroups is runOne for a kernel whose checksums hold for another sub-group size
// than that of w; it compares with the interpreter.
func runSubGroups(t *testing.T, r *testRun, k *simtc.Kernel, w simtc.Strategy) {
	one, err := k.With(simtc.Strategy{Target: simtc.Interpreter, Width: w.Width})
	require.NoError(t, err)
	reference, err := r.launch(t, one, betweenPatterns)
	require.NoError(t, err)
	runOne(t, r.withSums(reference), k, w, reference)
}

// withSums returns r with the checksums of the given buffers.
func (r *testRun) withSums(buffers [][]byte) *testRun {
	same := *r
	same.sums = nil
	for _, s := range r.sums {
		s.Hash = ndarg.FormatHash(ndarg.Hash(buffers[s.Arg]))
		same.sums = append(same.sums, s)
	}
	return &same
}

// runOne runs the kernel with one strategy and compares the checksums.
func runOne(t *testing.T, r *testRun, k *simtc.Kernel, w simtc.Strategy, reference [][]byte) [][]byte {
	need(t, w.Target)
	k, err := k.With(w)
	require.NoError(t, err)
	where := betweenPatterns
	if w.Target == simtc.WASM && w.Width != 8 { // at width 8, launches copy the buffers
		where = inEngine
	}
	buffers, err := r.launch(t, k, where)
	require.NoError(t, err)
	require.NoError(t, r.verify(buffers, reference))
	if simtc.IsNative(w.Target) && simtc.Available(w.Target) == nil {
		// Native code has only the bounds of the buffers.
		for _, where := range []place{beforeFence, afterFence} {
			fenced, err := r.launch(t, k, where)
			require.NoError(t, err)
			require.NoError(t, r.verify(fenced, reference))
		}
	}
	return buffers
}

// runOptimized interprets the kernel after the scalar passes, through its text form, so
// that a failure cannot be caused by linearization or a target. A kernel that was split
// at its barriers is also run as vectors: the text contains the values kept between
// phases.
func runOptimized(t *testing.T, r *testRun, k *simtc.Kernel, reference [][]byte) {
	text, err := k.Emit("kernel")
	require.NoError(t, err)
	p, err := simtc.Compile(string(text), simtc.Options{Strategy: simtc.Strategy{Target: simtc.Interpreter}, File: name(r.opt.File) + ".simt"})
	require.NoError(t, err)
	again, err := p.Kernel(r.kernel)
	require.NoError(t, err)
	runOne(t, r, again, simtc.Strategy{Target: simtc.Interpreter}, reference)
	if strings.Contains(string(text), "groupstate") && !knowsSubGroups(t, k) {
		runOne(t, r, again, simtc.Strategy{Target: simtc.VIR, Width: 4}, reference)
	}
	require.NoError(t, p.Close())
}

// programs caches the compiled forms of one source, by macros and by whether AVX-512 code
// is emulated.
type programs struct {
	source    string
	byOptions map[string]*simtc.Program
}

func (p *programs) get(t *testing.T, opt simtc.Options) *simtc.Program {
	key := fmt.Sprintf("%q %v", opt.Defines, opt.Emulate)
	if p.byOptions[key] == nil {
		opt.Threads = 3                                  // more than this needs, so that workers share work
		opt.Debug.Verify = *long || len(p.source)%4 == 0 // checking takes a sixth of the time
		prog, err := simtc.Compile(p.source, opt)
		require.NoError(t, err)
		p.byOptions[key] = prog
	}
	return p.byOptions[key]
}

func (p *programs) close(t *testing.T) {
	for _, prog := range p.byOptions {
		require.NoError(t, prog.Close())
	}
}

// TestEveryFileIsRun checks that every kernel file has a run line.
func TestEveryFileIsRun(t *testing.T) {
	for _, dir := range []string{"kernels", "../examples"} {
		entries, err := os.ReadDir(dir)
		require.NoError(t, err)
		for _, e := range entries {
			if filepath.Ext(e.Name()) != ".cl" {
				continue
			}
			f, err := runfile.Read(filepath.Join(dir, e.Name()))
			require.NoError(t, err)
			for _, r := range f.Runs {
				require.NotEmpty(t, r.Sums, "%s:%d", e.Name(), r.Line)
			}
		}
	}
}
