package main

import (
	"context"
	"os"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/simtc/simtc"
	"github.com/stretchr/testify/require"
)

const modulePath = "github.com/simtc/simtc"

// Every pass is found in the tables, with lines of code unless it is required elsewhere.
func TestPartSizes(t *testing.T) {
	all, err := selectParts(nil)
	require.NoError(t, err)
	sizes, err := partSizes(os.DirFS("../.."), modulePath, all)
	require.NoError(t, err)
	for _, p := range all {
		if n := sizes[p.name]; p.feature == nil && !p.partly {
			require.Positive(t, n.own, p.name)
		}
		if p.feature != nil && len(p.feature.files) > 0 {
			require.Greater(t, sizes[p.name].own, 50, p.name)
			for _, f := range p.feature.files {
				_, err := os.Stat("../../" + f)
				require.NoError(t, err)
			}
		}
	}
}

// Lines shared with other code are not a pass's own, and methods belong to their types.
func TestDeadLines(t *testing.T) {
	tree := fstest.MapFS{
		"main.go": {Data: []byte(`package main

import "m/opt"

func main() {
	for _, p := range opt.Passes {
		p.Run()
	}
}
`)},
		"opt/passes.go": {Data: []byte(`package opt

var Passes = []Pass{{Name: "a", Run: A}, {Name: "b", Run: B}}

type Pass struct {
	Name string
	Run  func()
}
`)},
		"opt/a.go": {Data: []byte(`package opt

// A is a pass.
func A() { (&state{}).step(); shared() }

type state struct{}

func (s *state) step() {
	rules[0]()
}

func (s *state) unused() {}

var rules []func()

func init() { rules = append(rules, rule) }

func rule() {}

func shared() {}
`)},
		"opt/b.go":      {Data: []byte("package opt\n\nfunc B() { shared() }\n")},
		"opt/b_test.go": {Data: []byte("package opt\n\nvar _ = A\n")},
		"utest/use.go":  {Data: []byte("package utest\n\nimport \"m/opt\"\n\nvar Run = opt.A\n")},
	}
	m, err := readModule(tree, "m")
	require.NoError(t, err)
	without := func(name string) int {
		d := m.byName[ref{"opt", name}]
		return m.deadLines(func(x *decl) bool { return x == d })
	}
	require.Equal(t, 2+1+3+1+1+1, without("A")) // with its comment, state, step, rules, init, rule
	require.Equal(t, 1, without("B"))
	require.Equal(t, 1+1, m.reachedLines([]*decl{m.byName[ref{"opt", "B"}]}))
}

func TestSelectParts(t *testing.T) {
	all, err := selectParts(nil)
	require.NoError(t, err)
	names := map[string]bool{}
	for _, p := range all {
		require.False(t, names[p.name], p.name)
		names[p.name] = true
		require.NoError(t, (&simtc.Debug{Disable: p.passes}).Check(), p.name)
	}
	require.True(t, names["vector/control"] && names["defer"])
	require.False(t, names["scalar/lcssa"], "required")

	some, err := selectParts([]string{"narrow", "slp+narrow", "block IPs"})
	require.NoError(t, err)
	require.Len(t, some, 4)
	require.Equal(t, []string{"scalar/narrow"}, some[0].passes)
	require.Equal(t, []string{"vector/narrow"}, some[1].passes)
	require.Equal(t, []string{"vector/slp", "scalar/narrow", "vector/narrow"}, some[2].passes)
	require.Equal(t, "block IPs", some[3].feature.name)
	_, err = selectParts([]string{"lcssa"})
	require.ErrorContains(t, err, "block IPs")
}

func TestEffect(t *testing.T) {
	e := effect{name: "vector/x", size: size{own: 10}, largest: 1}
	for kernel, ratio := range map[string]float64{"same": 1, "noise": 1.04, "slower": 2, "faster": 0.4} {
		e.changed++
		e.add(kernel, ratio)
	}
	require.Equal(t, 1, e.helps)
	require.Equal(t, 1, e.hurts)
	require.Equal(t, "faster", e.kernel)
	require.InDelta(t, 0.955, e.ratios.value(), 1e-3)
	e.compile.add(0.9)
	require.Contains(t, markdown([]*effect{&e}, false), "\n| vector/x | 10 | - | 4 | 0.9551 | 1 | 1 | 0.40 | faster | 0.90 |\n")
	require.Contains(t, markdown([]*effect{&e}, true), "\n| vector/x | 10 | - | 4 | 0.90 |\n")
}

func TestReduce(t *testing.T) {
	require.Equal(t, []uint64{100}, reduce([]uint64{100}, nil))
	require.Equal(t, []uint64{1024}, reduce([]uint64{1 << 20}, nil))
	require.Equal(t, []uint64{512, 2}, reduce([]uint64{512, 512}, nil))
	require.Equal(t, []uint64{1000}, reduce([]uint64{100000}, []uint64{100}))
	require.Equal(t, []uint64{32, 32, 1}, reduce([]uint64{64, 64, 4}, []uint64{32, 32, 1}))
}

func TestParseRuns(t *testing.T) {
	text := "// run: -k a -g 4 int:8\n// sum: 0 0123456789abcdef\n// run: -k a -g 5 int:8\n// run: -k a -D N=2 -g 4 int:8\n// bench: -k a -g 4000 int:8\nkernel void a(global int *x) {}\n"
	for _, bench := range []bool{false, true} {
		list, err := parseRuns("file", []byte(text), bench)
		require.NoError(t, err)
		require.Len(t, list, 2)
		require.Equal(t, "file:a", list[0].name)
		require.Equal(t, map[bool]uint64{false: 4, true: 4000}[bench], list[0].command.Global[0])
		require.Equal(t, "file:a -DN=2", list[1].name)
	}
}

// Passes of each kind of effect, measured on a kernel that they change.
func TestAblation(t *testing.T) {
	for _, measure := range []string{byTime, byInstructions, byCode} {
		a := &ablation{
			settings: &settings{ablate: measure, runs: 1, limit: 100 * time.Millisecond, widths: []int{0}, linearize: "auto"},
			ctx:      context.Background(), target: simtc.WASM, effects: map[string]*effect{},
		}
		if measure == byInstructions {
			a.target = simtc.AVX512
		}
		list, err := selectParts([]string{"liveouts", "slp", "bypass ones", "tuning"})
		require.NoError(t, err)
		a.set(list)
		kernels, err := a.load([]string{"mandelbrot"})
		require.NoError(t, err)
		for _, b := range kernels {
			b.command.Global[len(b.command.Global)-1] = 8
			b.sums = nil
			require.NoError(t, a.kernel(b))
		}
		require.Equal(t, len(kernels), a.measured, a.notes)
		require.Positive(t, a.effects["vector/liveouts"].changed)
		require.Empty(t, a.effects["vector/liveouts"].wrong)
		require.Zero(t, a.effects["vector/slp"].changed)
		require.Equal(t, measure == byInstructions, a.effects["tuning"] == nil)
		if measure != byCode {
			require.InDelta(t, 1, a.effects["vector/slp"].ratios.value(), 0)
			require.NotEqual(t, 1.0, a.effects["vector/liveouts"].ratios.value())
			require.Equal(t, len(kernels), a.effects["bypass ones"].ratios.n)
		}
		var out strings.Builder
		ok, err := a.print(&out)
		require.NoError(t, err)
		require.True(t, ok, out.String())
		require.Contains(t, out.String(), "| vector/liveouts |")
	}
}
