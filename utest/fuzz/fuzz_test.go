package fuzz

import (
	"context"
	"flag"
	"math/rand"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/simtc/simtc"
	"github.com/simtc/simtc/alu"
	_ "github.com/simtc/simtc/internal/testgc"
	"github.com/simtc/simtc/kernel"
	"github.com/simtc/simtc/launch"
	"github.com/simtc/simtc/launch/wasmhost"
	"github.com/simtc/simtc/launch/wasmhost/defaulthost"
	"github.com/simtc/simtc/opt"
	"github.com/simtc/simtc/opt/lanes/iterations"
	"github.com/simtc/simtc/utest/opencl"
)

var long = flag.Bool("long", false, "run many more random programs")

// seeds scales the number of programs per test.
func seeds(n int64) int64 {
	switch {
	case *long:
		return n * 80
	case testing.Short():
		return n / 4
	}
	return n
}

// engine is the WebAssembly engine of this build.
var engine = sync.OnceValue(func() wasmhost.Host { return defaulthost.New() })

// engineIf returns the engine, or nil if on is false.
func engineIf(on bool) wasmhost.Host {
	if on {
		return engine()
	}
	return nil
}

// runSeeds checks programs of a kind, with steps that rotate over the seeds.
func runSeeds(t *testing.T, kind string, n int64) {
	blocks := 0
	for seed := range seeds(n) {
		c, err := Generate(seed, kind, Options{})
		require.NoError(t, err, "seed %d", seed)
		blocks += len(c.Kernel.Blocks)
		every := seed%10 == 0
		steps := Steps{
			Widths: WidthsOf(seed), EveryPass: every, Raw: every, Text: every, Legalize: seed%10 == 3,
			Native: Native(seed, 4), WASM: engineIf(seed%50 == 7), Threads: int(seed % 3),
		}
		if err := Check(context.Background(), c, steps); err != nil {
			small, err := Minimize(context.Background(), c, steps)
			t.Fatalf("%s seed %d: %v\n%s", kind, seed, err, small.Text())
		}
	}
	require.Greater(t, blocks, int(seeds(n)), "programs of one block find nothing")
}

func TestRandomGraphs(t *testing.T)        { t.Parallel(); runSeeds(t, "cfg", 36) }
func TestReducible(t *testing.T)           { t.Parallel(); runSeeds(t, "reducible", 24) }
func TestRandomPrograms(t *testing.T)      { t.Parallel(); runSeeds(t, "program", 10) }
func TestRandomSearches(t *testing.T)      { t.Parallel(); runSeeds(t, "search", 8) }
func TestRandomLoops(t *testing.T)         { t.Parallel(); runSeeds(t, "loop", 10) }
func TestRandomSeries(t *testing.T)        { t.Parallel(); runSeeds(t, "series", 4) }
func TestRandomArraySearches(t *testing.T) { t.Parallel(); runSeeds(t, "ask", 6) }
func TestRandomWrapping(t *testing.T)      { t.Parallel(); runSeeds(t, "wrap", 8) }

// TestAskVariety checks that search loops over private arrays cover the register-cached
// arrays and others.
func TestAskVariety(t *testing.T) {
	all, loops, at := "", 0, 0
	for seed := range int64(60) {
		c, err := Ask(seed)
		require.NoError(t, err)
		all += c.Source
		p, err := simtc.Compile(c.Source, simtc.Options{Strategy: simtc.Strategy{Target: simtc.VIR, Width: 1}})
		require.NoError(t, err)
		k, err := p.Kernel("fuzz")
		require.NoError(t, err)
		stats, err := k.Stats()
		require.NoError(t, err)
		loops += strings.Count(c.Source, "int hit")
		at += stats["array searches vectorized"]
		require.NoError(t, p.Close())
	}
	for _, word := range []string{"uchar set", "short set", "uint set", "<= min(row", " || ", " && ", "abs(", "while (d", "continue;"} {
		require.Contains(t, all, word)
	}
	t.Log(at, "of", loops)
	require.Greater(t, at, loops/2)
}

// sources makes random programs and returns their texts, and the number of programs with a
// loop whose iterations may be lanes.
func sources(t *testing.T, generate func(seed int64) (*Case, error)) (all string, fit int) {
	for seed := range int64(100) {
		c, err := generate(seed)
		require.NoError(t, err)
		all += c.Source
		f, err := Clone(c.Kernel)
		require.NoError(t, err)
		for _, p := range opt.Passes {
			p.Run(f, nil)
		}
		if iterations.Fit(f, iterations.Options{Width: 16, Extents: true}) {
			fit++
		}
	}
	return all, fit
}

// TestSearchVariety checks the coverage of searches: iterations may be lanes in most of them.
func TestSearchVariety(t *testing.T) {
	all, fit := sources(t, Search)
	for _, word := range []string{"break", "continue", "return;", "while", "own[", "max(", "*=", "429496729", "for (uint"} {
		require.Contains(t, all, word)
	}
	require.Greater(t, fit, 60)
}

// TestLoopVariety checks the coverage of loops that store: in many programs, some loop has independent
// iterations.
func TestLoopVariety(t *testing.T) {
	all, fit := sources(t, Loop)
	for _, word := range []string{"break", "continue", "return;", "a1[", "own[", "for (uint", ">= 0;", "float s", "j"} {
		require.Contains(t, all, word)
	}
	require.Greater(t, fit, 40)
}

// TestSeriesVariety checks the coverage of series: iterations may be lanes in fewer of them,
// since some depend on earlier ones.
func TestSeriesVariety(t *testing.T) {
	all, fit := sources(t, Series)
	for _, word := range []string{"int st[6];", "int st[6] =", "% sp", "fmax", "first < 0", "* 33u", "sp % 6"} {
		require.Contains(t, all, word)
	}
	require.Greater(t, fit, 25)
}

// TestWrapVariety checks the coverage of wrapping indices, and that they are in bounds.
func TestWrapVariety(t *testing.T) {
	all := ""
	for seed := range int64(100) {
		c, err := Wrap(seed)
		require.NoError(t, err)
		_, err = c.Run(context.Background(), launch.NewInterpreter(c.Kernel, maxSteps, false))
		require.NoError(t, err, "seed %d", seed)
		all += c.Source
	}
	for _, word := range []string{"(uint)x * n", "half[3] * 2u", "<< 31) << 1", "- (0u - ", "(long)(int)", " - n)", "while (k", "for (uchar", "break;", "global long *"} {
		require.Contains(t, all, word)
	}
}

// TestOpenCLPrograms checks work-group programs. These are large: each runs with one
// linearizer at one width.
func TestOpenCLPrograms(t *testing.T) {
	t.Parallel()
	for seed := range seeds(9) {
		c, err := OpenCL(seed)
		require.NoError(t, err, "seed %d", seed)
		steps := Steps{
			Widths: WidthsOf(seed)[:1], Linearizers: LinearizersOf(seed, 1), Native: Native(seed, 1), WASM: engineIf(seed%8 == 3), Legalize: seed%8 == 5, Threads: 1 + int(seed%2),
		}
		require.NoError(t, Check(context.Background(), c, steps), "seed %d\n%s", seed, c.Source)
	}
}

// TestOpenCLVariety checks the coverage of work-group programs.
func TestOpenCLVariety(t *testing.T) {
	all := ""
	for seed := range int64(200) {
		text, _, _ := (&smith{rng: rand.New(rand.NewSource(seed))}).program(seed)
		all += text
	}
	for _, word := range []string{
		"struct", "union", "volatile", "->", "goto", "switch", "while", "do {", "break", "continue", "barrier", "pass(", "atomic_add", "atomic_min",
		"atomic_cmpxchg", "special", "convert_", "_sat", "rotate", "mul_hi", "hadd", "rhadd", "add_sat", "sub_sat", "abs_diff", "mad_hi", "popcount", "clz",
		"upsample", "any(", "all(", "select(", "shuffle2(", "as_uchar16", ".even", "get_group_id", "CLK_GLOBAL_MEM_FENCE", "return x;",
	} {
		require.Contains(t, all, word)
	}
}

// TestDeterministic checks that programs are functions of their seeds, so that failures can
// be repeated.
func TestDeterministic(t *testing.T) {
	for _, kind := range []string{"cfg", "reducible", "program", "search", "loop", "series", "ask", "wrap", "opencl"} {
		for seed := range int64(20) {
			a, err := Generate(seed, kind, Options{})
			require.NoError(t, err)
			b, err := Generate(seed, kind, Options{})
			require.NoError(t, err)
			require.Equal(t, a.Text(), b.Text())
			require.Equal(t, a.Kernel.String(), b.Kernel.String())
			require.Equal(t, a.Memory(), b.Memory())
		}
	}
}

// TestVariety checks that generated kernels cover operations, terminators and types.
func TestVariety(t *testing.T) {
	ops := map[kernel.Op]int{}
	terms := map[kernel.TermKind]int{}
	params := map[alu.Type]int{}
	irreducible, same := 0, 0
	for seed := range int64(400) {
		c := Kernel(seed, Options{})
		if !reducible(c.Kernel) {
			irreducible++
		}
		for _, b := range c.Kernel.Blocks {
			terms[b.Kind]++
			if b.Kind == kernel.Branch && b.Edges[0].To == b.Edges[1].To {
				same++
			}
			for _, p := range b.Params {
				params[p.Type]++
			}
			for _, v := range b.Values {
				ops[v.Op]++
			}
		}
		require.True(t, reducible(Kernel(seed, Options{Reducible: true}).Kernel), "seed %d", seed)
	}
	require.Greater(t, irreducible, 100)
	require.Greater(t, same, 20)
	for _, op := range kernel.Ops() {
		switch op {
		case kernel.Const, kernel.Param: // not listed in a block
		case kernel.LocalAddr, kernel.GroupState, kernel.Barrier, kernel.Lane, kernel.Lanes, kernel.SpanRows, kernel.Ballot, kernel.Shuffle, kernel.FewLanes, kernel.ActiveLane:
			// work-group and sub-group operations, tested by kernels of utest, and those that
			// packages refill and equalities make
		case kernel.InLocal, kernel.InPrivate:
			// tests of generic pointers, of which generated kernels have none: TestAddressSpaces of utest
		default:
			require.Positive(t, ops[op], kernel.InfoOf(op).Name)
		}
	}
	for _, k := range []kernel.TermKind{kernel.Jump, kernel.Branch, kernel.Switch, kernel.Return} {
		require.Positive(t, terms[k])
	}
	for _, p := range append(scalarTypes, alu.PtrGlobal, alu.PtrPrivate) {
		require.Positive(t, params[p], p)
	}
}

// TestFixedBugs runs programs that failed once, named after the bugs. Every program runs
// with all scalars and at all widths, but only long tests combine each scalar with each
// width and check all steps of every combination.
func TestFixedBugs(t *testing.T) {
	files, err := filepath.Glob("testdata/*.simt")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for n, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".simt"), func(t *testing.T) {
			t.Parallel()
			text, err := os.ReadFile(file)
			require.NoError(t, err)
			all := []int{1, 4, 8, 16, 32}
			for i, scalar := range []uint64{0, 1, 2, 3, 0x40490fdb} {
				widths, every := []int{all[(n+i)%5], all[(n+2*i+1)%5]}, (n+i)%5 == 0
				if *long {
					widths, every = all, true
				}
				m, err := kernel.Parse(file, string(text))
				require.NoError(t, err)
				require.NoError(t, Check(context.Background(), CaseOf(m.Funcs[0], scalar), Steps{
					Widths: widths, EveryPass: every, Raw: every || i%2 == 0, Text: every, Legalize: every,
					Native: Native(int64(scalar), 1), WASM: engineIf(scalar == 3),
				}))
			}
		})
	}
}

// TestMinimize checks that a wrong pass is detected and the program minimized.
func TestMinimize(t *testing.T) {
	broken := passes
	defer func() { passes = broken }()
	passes = append(append(passes[:0:0], passes...), passes[0])
	passes[len(passes)-1].Name = "wrong"
	passes[len(passes)-1].Run = func(f *kernel.Func, _ opt.Stats) {
		for _, b := range f.Blocks {
			for _, v := range b.Values {
				if v.Op == alu.UMax {
					v.Op = alu.UMin
				}
			}
		}
	}
	found := 0
	for seed := int64(0); found < 2; seed++ {
		require.Less(t, seed, int64(500))
		c := Kernel(seed, Options{})
		steps := Steps{Widths: []int{4}}
		err := Check(context.Background(), c, steps)
		if err == nil {
			continue
		}
		found++
		var m *Mismatch
		require.ErrorAs(t, err, &m)
		require.Contains(t, m.Step, "wrong")
		small, err := Minimize(context.Background(), c, steps)
		require.Error(t, err)
		require.Contains(t, small.Text(), "umax")
		require.LessOrEqual(t, len(strings.Split(small.Text(), "\n")), 45, small.Text())
	}
}

// TestDriver compares the front end with the machine's OpenCL driver; it is slow and needs
// -long.
func TestDriver(t *testing.T) {
	if !*long {
		t.Skip("with -long")
	}
	if !opencl.Available() {
		t.Skip("no OpenCL driver here")
	}
	for seed := range int64(40) {
		c, err := Program(seed, ProgramOptions{Strict: true})
		require.NoError(t, err)
		require.NoError(t, CheckDriver(context.Background(), c), "seed %d\n%s", seed, c.Source)
	}
}
