package pipeline

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/simtc/simtc/clc"
	"github.com/simtc/simtc/kernel"
	"github.com/simtc/simtc/remarks"
	"github.com/simtc/simtc/utest/runfile"
	"github.com/simtc/simtc/vir"
)

var long = flag.Bool("long", false, "check the remarks of every strategy of every kernel")

// remarkCounts counts remarks by kind, and by kind and line.
type remarkCounts map[string]int

func index(rs []remarks.Remark) remarkCounts {
	s := remarkCounts{}
	for _, r := range rs {
		s[r.Kind] += r.Count
		s[fmt.Sprintf("%s %s:%d", r.Kind, r.File, r.Line)] += r.Count
	}
	return s
}

func (s remarkCounts) at(kind, file string, line int) int {
	return s[fmt.Sprintf("%s %s:%d", kind, file, line)]
}

// requireRemarks checks that each operation and branch of a variant that needs a remark has
// one, and that remarks have valid positions.
func requireRemarks(t *testing.T, v *variant, rs []remarks.Remark, lines int) {
	s := index(rs)
	for _, r := range rs {
		require.GreaterOrEqual(t, r.Line, 1, "%s", r)
		require.LessOrEqual(t, r.Line, lines, "%s", r)
		require.Positive(t, r.Column, "%s", r)
		require.NotEmpty(t, r.File, "%s", r)
		for _, l := range r.Chain {
			require.GreaterOrEqual(t, l.Line, 1, "%s: %s", r, l.Text)
			require.LessOrEqual(t, l.Line, lines, "%s: %s", r, l.Text)
			require.NotRegexp(t, `%[0-9a-z]`, l.Text, "%s: %s", r, l.Text)
		}
		switch r.Kind {
		case remarks.Gather, remarks.Scatter:
			_, reason, ok := strings.Cut(r.Text, "): ")
			require.True(t, ok && reason != "", "no reason: %s", r)
			require.Positive(t, r.NS, "%s", r)
		case remarks.Divergent, remarks.DivergentLoop:
			require.NotEmpty(t, r.Chain, "%s", r)
		}
	}
	for _, b := range v.vir.Blocks {
		for _, x := range b.Values {
			switch x.Op {
			case vir.Gather:
				if v.cfg.width == 1 { // in a loop whose iterations run as lanes
					require.Positive(t, s.at(remarks.Iterations, x.Pos.File, x.Pos.Line), "%s", vir.FormatValue(x))
					break
				}
				require.Positive(t, s.at(remarks.Gather, x.Pos.File, x.Pos.Line)+s.at(remarks.Strided, x.Pos.File, x.Pos.Line)+s.at(remarks.Rows, x.Pos.File, x.Pos.Line), "%s", vir.FormatValue(x))
			case vir.Scatter:
				require.Positive(t, s.at(remarks.Scatter, x.Pos.File, x.Pos.Line)+s.at(remarks.Strided, x.Pos.File, x.Pos.Line)+s.at(remarks.Rows, x.Pos.File, x.Pos.Line), "%s", vir.FormatValue(x))
			}
		}
	}
	for _, b := range v.kernel.Blocks {
		if len(b.Edges) > 1 && v.info.Divergent[b.ID] {
			require.True(t, b.Pos.IsValid(), "%s: %s", kernel.Label(b), kernel.FormatTerm(b))
			require.Positive(t, s.at(remarks.Divergent, b.Pos.File, b.Pos.Line)+s.at(remarks.DivergentLoop, b.Pos.File, b.Pos.Line),
				"%s: %s", kernel.Label(b), kernel.FormatTerm(b))
		}
	}
	counted := func(n, reported int) { require.Equal(t, n, reported) }
	if s[remarks.Interior] > 0 { // remarks count one of two versions
		counted = func(n, reported int) {
			require.LessOrEqual(t, reported, n)
			require.Equal(t, n > 0, reported > 0)
		}
	}
	if v.cfg.width > 1 && v.deferred.kernel == nil { // or there are two reports
		if len(v.kernel.Barriers) == 0 { // barriers add branches that are not in the source
			kept, folded := 0, 0
			for _, b := range v.report.Kept {
				if !b.Pos.Made {
					kept++
				}
			}
			for _, f := range v.report.Folded {
				if !f.Block.Pos.Made {
					folded++
				}
			}
			counted(kept, s[remarks.Kept])
			counted(folded, s[remarks.Folded])
		}
		counted(len(v.report.Guards), s[remarks.Guard]+s[remarks.LoopTest]+s[remarks.Join])
		counted(len(v.report.Bypasses), s[remarks.Bypass])
		counted(len(v.report.Copies), s[remarks.Copy])
		objects := 0
		for _, p := range v.report.Private {
			if k := v.kernel.KeptIn(p.Object); k == nil || len(k.Barriers) > 0 {
				objects++
			}
		}
		require.Equal(t, objects, s[remarks.Private])
	}
}

// Every gather, scatter, branch, guard and bypass of every kernel has a remark with a source
// line and a reason.
func TestNothingGoesUnremarked(t *testing.T) {
	var paths []string
	for _, pattern := range []string{"../utest/kernels/*.cl", "../examples/*.cl", "../utest/bench/kernels/*.cl"} {
		more, err := filepath.Glob(pattern)
		require.NoError(t, err)
		require.NotEmpty(t, more)
		paths = append(paths, more...)
	}
	total := remarkCounts{}
	for at, path := range paths {
		text, err := os.ReadFile(path)
		require.NoError(t, err)
		defines, std := []string{"ROUNDS=3", "TYPE=int", "PICK=1", "NAME=x"}, ""
		if file, err := runfile.Parse(path, string(text)); err == nil && len(file.Runs) > 0 {
			std = file.Runs[0].Flag("--cl-std")
			for i, w := range file.Runs[0].Words {
				if w == "-D" {
					defines = append(defines, file.Runs[0].Words[i+1])
				}
			}
		}
		include := func(name, _ string, _ bool) (string, string, error) {
			at := filepath.Join(filepath.Dir(path), name)
			text, err := os.ReadFile(at)
			return at, string(text), err
		}
		for _, k := range compile(t, string(text), testOptions{Settings: Settings{File: path}, Strategy: Strategy{Target: VIR}, clc: clc.Options{Std: std, Defines: defines, Include: include}}) {
			ways, err := k.Strategies(VIR)
			require.NoError(t, err)
			some := slices.DeleteFunc(slices.Clone(ways), func(w Strategy) bool { return w.Width != 1 && w.Width != 16 })
			if len(some) == 0 { // it requires another width
				some = ways
			}
			for _, w := range slices.Clone(some) {
				if w.Linearizer == Partial && w.Width > 1 {
					for _, w.Divergence = range []string{Defer, Refill} {
						some = append(some, w)
					}
				}
			}
			for i, w := range some {
				if !*long && (i+at)%3 != 0 { // other kernels are compiled in the other ways
					continue
				}
				if w.Bypass == "" {
					w.Bypass = BypassBoth
				}
				k, err := k.With(w)
				require.NoError(t, err)
				v, err := k.variant()
				require.NoError(t, err)
				rs, err := k.Remarks()
				require.NoError(t, err)
				requireRemarks(t, v, rs, strings.Count(string(text), "\n")+1)
				for kind, n := range index(rs) {
					total[kind] += n
				}
			}
		}
	}
	// WASM has no instruction for fused multiply-adds, unlike VIR above.
	rs, err := compile(t, "kernel void k(global float *p, float a) { p[0] = p[0] * a + p[1]; }", testOptions{Strategy: Strategy{Target: WASM}})[0].Remarks()
	require.NoError(t, err)
	for kind, n := range index(rs) {
		total[kind] += n
	}
	for _, k := range remarks.Kinds() {
		if k.Name != remarks.Spill && k.Name != remarks.Width && k.Name != "printf" { // see TestRemarksOfCode
			require.Positive(t, total[k.Name], "no kernel has a remark of kind %s", k.Name)
		}
	}
}
