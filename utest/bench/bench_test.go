package main

import (
	"cmp"
	"encoding/binary"
	"math"
	"slices"
	"testing"

	"github.com/simtc/simtc"
	"github.com/simtc/simtc/internal/ndarg"
	"github.com/simtc/simtc/utest/intrinsics"
	"github.com/simtc/simtc/utest/opencl"
	"github.com/simtc/simtc/utest/runfile"
	"github.com/stretchr/testify/require"
)

func TestEveryBenchmarkLoads(t *testing.T) {
	all, err := load(nil)
	require.NoError(t, err)
	require.Len(t, all, len(names()))
	for _, b := range all {
		require.NotEmpty(t, b.command.Kernel, b.name)
		require.NotEmpty(t, b.sums, b.name)
	}
	more, err := load([]string{"saxpy", "tests"})
	require.NoError(t, err)
	require.Greater(t, len(more), 20)
	for _, b := range more {
		require.NotEmpty(t, b.sums, b.name)
	}
	_, err = load([]string{"nothing"})
	require.ErrorContains(t, err, "mandelbrot")
	some, err := load([]string{"shapes", "saxpy"})
	require.NoError(t, err)
	require.Len(t, some, len(shapes())+1)
	require.GreaterOrEqual(t, len(shapes()), 20)
	for _, b := range some {
		require.NotEmpty(t, b.sums, b.name)
	}
}

func TestJudge(t *testing.T) {
	b, err := read("saxpy")
	require.NoError(t, err)
	right := []opencl.Checksum{{Arg: 1, FNV: 7}, {Arg: 2, FNV: 8}}
	wrong := []opencl.Checksum{{Arg: 1, FNV: 7}, {Arg: 2, FNV: 9}}
	require.Empty(t, b.judge(right, right))
	require.Contains(t, b.judge(wrong, right), "argument 2")
	require.Contains(t, b.judge(right, nil), "argument 1")
}

// TestByHand checks that each kernel of package intrinsics has a run line and C code, and
// that both compute the same.
func TestByHand(t *testing.T) {
	for target, set := range map[string]*intrinsics.Set{simtc.AVX512: intrinsics.AVX512, simtc.AVX2: intrinsics.AVX2} {
		t.Run(target, func(t *testing.T) {
			all, err := loadByHand(set, nil)
			require.NoError(t, err)
			require.NotEmpty(t, all)
			_, err = loadByHand(set, []string{"nothing"})
			require.ErrorContains(t, err, "mandelbrot")
			_, err = all[0].command.Runner.Device(t.Context())
			if err := cmp.Or(simtc.Available(target), err); err != nil {
				t.Skipf("NOT TESTED: handwritten kernels for %s do not run here: %v", target, err)
			}
			s := settings{runs: 1, target: target, linearize: "auto", widths: []int{0}, intrinsics: true}
			for _, b := range all {
				rows, err := s.measure(t.Context(), b, true)
				require.NoError(t, err, b.name)
				require.Empty(t, rows[0].Note, b.name)
				require.Positive(t, rows[0].Driver*rows[0].Simtc, b.name)
			}
		})
	}
}

func TestCountFar(t *testing.T) {
	float, err := ndarg.ParseType("float")
	require.NoError(t, err)
	numbers := func(xs ...float32) (b []byte) {
		for _, x := range xs {
			b = binary.LittleEndian.AppendUint32(b, math.Float32bits(x))
		}
		return b
	}
	nan := float32(math.NaN())
	require.Equal(t, 2, countFar(numbers(1, 2000, 0, 3, nan), numbers(1.0005, 2001, 0, 3.1, 5), float.Elem))
}

func TestMean(t *testing.T) {
	var m mean
	require.Equal(t, "-", m.String())
	m.add(2)
	m.add(8)
	require.Equal(t, "4.00", m.String())
}

func TestRankCorrelation(t *testing.T) {
	require.Equal(t, []float64{0.5, 2, 2, 3.5}, ranks([]float64{1, 3, 3, 7}))
	require.InDelta(t, 1, correlation(ranks([]float64{1, 2, 9}), ranks([]float64{5, 6, 7})), 1e-9)
	require.InDelta(t, -1, correlation(ranks([]float64{1, 2, 9}), ranks([]float64{7, 6, 5})), 1e-9)
	require.Zero(t, correlation([]float64{1, 1}, []float64{1, 2}))
}

func TestSummary(t *testing.T) {
	c := func(ns, best, forced, width, rank float64) choice {
		return choice{chosen: strategyRow{Again: ns}, best: strategyRow{Again: best}, own: ns / best, forced: forced, width: width, rank: rank}
	}
	text := summary([]choice{c(2, 2, 1, 1, 1), c(3, 2, 1.2, 1, 0.5)})
	require.Contains(t, text, "best strategy: 1 of 2 (50%), and on average 22.5% slower")
	require.Contains(t, text, "not left to tuning: 1; of the better linearizer: 1; of the best width: 2. Mean rank correlation: 0.75")
}

// TestJudgeSomeBuffers checks a file with checksums of only some of its buffers.
func TestJudgeSomeBuffers(t *testing.T) {
	b := &benchmark{sums: []runfile.Sum{{Arg: 5, Hash: ndarg.FormatHash(50)}}}
	got := []opencl.Checksum{{Arg: 0, FNV: 1}, {Arg: 5, FNV: 50}}
	require.Empty(t, b.judge(got, nil))
	require.Empty(t, b.judge(got, got))
	got[1].FNV++
	require.Equal(t, "WRONG: argument 5 has a wrong checksum", b.judge(got, nil))
	require.Equal(t, "WRONG: argument 0 differs from the driver's", b.judge(got, []opencl.Checksum{{Arg: 0, FNV: 2}, {Arg: 5, FNV: 51}}))
}

func TestLow(t *testing.T) {
	require.Equal(t, 5.0, low([]float64{5}))
	require.Equal(t, 5.0, low([]float64{7, 5, 1}))
}

func TestStrategiesAreMeasured(t *testing.T) {
	b, err := read("monte_carlo")
	require.NoError(t, err)
	b.command.Global = []uint64{500}
	b.sums = nil
	s := settings{runs: 1, linearize: "auto", widths: []int{0}, target: "wasm-simd"}
	c, rows, err := s.planOne(t.Context(), b)
	require.NoError(t, err)
	require.Greater(t, len(rows), 4)
	require.GreaterOrEqual(t, c.chosen.Measured, c.best.Measured)
	for _, r := range rows {
		require.Positive(t, r.Predicted, r.Strategy)
		// Clocks may stand still during a short launch.
		require.GreaterOrEqual(t, min(r.Measured, r.Again), 0.0, r.Strategy)
	}
}

// TestShapes checks that a kernel is measured, and that a wrong result of a strategy is an
// error.
func TestShapes(t *testing.T) {
	b, err := read("transpose")
	require.NoError(t, err)
	b.command.Global = []uint64{32, 32}
	b.sums = nil
	s := settings{runs: 1, linearize: "auto", widths: []int{0}, target: "wasm-simd"}
	r, err := s.shapeOne(t.Context(), b, false)
	require.NoError(t, err)
	require.Empty(t, r.Note)
	require.NotEmpty(t, r.PlannedAs)
	require.NotEmpty(t, r.TunedAs)
	require.NotEmpty(t, r.BestAs)
	require.Zero(t, r.Driver)
	b.sums = []runfile.Sum{{Arg: 1, Hash: ndarg.FormatHash(1)}}
	_, err = s.shapeOne(t.Context(), b, false)
	require.ErrorContains(t, err, "argument 1 has a wrong checksum")
}

// forced returns the strategies that s forces for a kernel with a range of 32x32, and the choice of
// the plan.
func forced(t *testing.T, s *settings, name string) (strategies []strategyRow, planned simtc.Strategy) {
	b, err := read(name)
	require.NoError(t, err)
	b.command.Global = []uint64{32, 32}
	x, err := s.build(t.Context(), b, 0, false, &row{Kernel: b.name})
	require.NoError(t, err)
	defer x.close()
	x.kernel, err = x.fitted()
	require.NoError(t, err)
	planned, err = x.kernel.Strategy()
	require.NoError(t, err)
	var all contest
	require.NoError(t, s.force(&all, x, planned, planned))
	return all.rows, planned
}

func TestForcedStrategies(t *testing.T) {
	s := settings{runs: 1, linearize: "auto", widths: []int{0}, target: "wasm-simd"}
	all, planned := forced(t, &s, "transpose")
	widths, dims := map[int]bool{}, map[string]bool{}
	for i, r := range all {
		require.Equal(t, r.strategy == planned, r.Chosen)
		require.Equal(t, i == 0, r.Chosen, "each strategy once")
		widths[r.strategy.Width], dims[r.strategy.LaneDim] = true, true
	}
	require.Greater(t, len(widths), 3)
	require.Greater(t, len(dims), 1)
	s.widths = []int{8}
	some, _ := forced(t, &s, "transpose")
	require.Less(t, len(some), len(all))
}

// Lanes that span the rows of work-groups are a strategy of their own.
func TestForcedStrategiesSpanRows(t *testing.T) {
	all, _ := forced(t, &settings{runs: 1, linearize: simtc.Partial, widths: []int{16}, target: "vir"}, "groups_8x8")
	require.True(t, slices.ContainsFunc(all, func(r strategyRow) bool { return r.strategy.LaneDim == simtc.Rows }))
}

func TestShortName(t *testing.T) {
	require.Equal(t, "x16 dim=1", shortName(simtc.Strategy{Target: simtc.AVX2, Linearizer: simtc.Partial, Bypass: simtc.BypassZeros, Width: 16, LaneDim: "1"}))
	require.Equal(t, "blockip bypass=both x8 iter", shortName(simtc.Strategy{Linearizer: simtc.BlockIP, Bypass: simtc.BypassBoth, Width: 8, Lanes: simtc.Iterations}))
}
