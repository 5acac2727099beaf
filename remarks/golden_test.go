package remarks_test

import (
	"bufio"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/simtc/simtc/blockip"
	"github.com/simtc/simtc/divergence"
	"github.com/simtc/simtc/internal/diag"
	"github.com/simtc/simtc/internal/golden"
	"github.com/simtc/simtc/kernel"
	scalar "github.com/simtc/simtc/opt"
	"github.com/simtc/simtc/opt/lanes/interior"
	"github.com/simtc/simtc/opt/lanes/iterations"
	"github.com/simtc/simtc/opt/lanes/tripcount"
	"github.com/simtc/simtc/remarks"
	"github.com/simtc/simtc/structurize"
	"github.com/simtc/simtc/targets/avx512"
	"github.com/simtc/simtc/utest/canonical"
	"github.com/simtc/simtc/vir"
	viropt "github.com/simtc/simtc/vir/opt"
	"github.com/simtc/simtc/widen"
	"github.com/simtc/simtc/workgroup"
)

// strategy selects a linearizer and a width.
type strategy struct {
	linearizer string
	width      int
}

var strategies = []strategy{{"partial", 16}, {"blockip", 16}, {"partial", 1}}

// input compiles f; ok is false where the linearizer does not support the kernel.
func (w strategy) input(t *testing.T, f *kernel.Func, ones structurize.Ones) (in remarks.Input, ok bool) {
	opt := widen.Options{Width: w.width}
	weigh := func(v *kernel.Value) float64 { return 1 }
	analyze := func(f *kernel.Func) *divergence.Info {
		return divergence.Analyze(f, divergence.Options{Width: w.width})
	}
	notes := iterations.Notes(f, iterations.Options{Width: w.width, Extents: true})
	info := analyze(f)
	if made := tripcount.Count(f, info, scalar.Stats{}); made != f {
		f, info = made, analyze(made)
	}
	if made := interior.Split(f, info, 16, analyze, scalar.Stats{}); made != f {
		f, info = made, analyze(made)
	}
	in = remarks.Input{
		Kernel: f, Info: info,
		Notes: notes, Costs: &avx512.Costs, Weigh: weigh, Linearizer: w.linearizer,
	}
	var err error
	if w.linearizer == "partial" {
		in.Vector, in.Report, err = structurize.Linearize(f, in.Info, structurize.Options{
			Options: opt, Bypass: structurize.BypassAuto, Weigh: weigh, Test: 1, Ones: ones,
		})
	} else {
		in.Vector, in.Report, err = blockip.Linearize(f, in.Info, blockip.Options{Options: opt, FullStrips: true})
	}
	if err != nil {
		require.ErrorIs(t, err, structurize.ErrIrreducible)
		return in, false
	}
	viropt.Run(in.Vector, nil)
	require.NoError(t, vir.Verify(in.Vector))
	return in, true
}

// prices matches costs, which depend on the target's table.
var prices = regexp.MustCompile(`(about|take|contiguous:|multiplication:|addition:|atomic:|and|test of|to|is) [0-9.]+(e[+-][0-9]+)?( ns|\))`)

// rows parses lines of integers followed by words.
func rows(t *testing.T, text string, numbers int, f func(n []int, rest string)) {
	lines := bufio.NewScanner(strings.NewReader(text))
	for lines.Scan() {
		words := strings.SplitN(lines.Text(), " ", numbers+1)
		n := make([]int, numbers)
		for i := range n {
			_, err := fmt.Sscan(words[i], &n[i])
			require.NoError(t, err)
		}
		f(n, strings.Join(words[numbers:], " "))
	}
}

// TestRemarks compares the remarks about each kernel, for both linearizers and for one lane.
// The goldens cover every kind.
func TestRemarks(t *testing.T) {
	reported := map[string]bool{}
	golden.Run(t, "testdata/*.txtar", func(t *testing.T, files map[string]string) map[string]string {
		out := map[string]string{}
		for _, w := range strategies {
			f := canonical.Kernel(t, files)
			if f.Uses(kernel.Barrier) {
				workgroup.Barriers(f, nil)
				canonical.Form(t, f)
			}
			rows(t, files["notes"], 2, func(n []int, rest string) {
				kind, text, _ := strings.Cut(rest, " ")
				f.Note(diag.Pos{File: "in.cl", Line: n[0], Col: n[1]}, kind, text)
			})
			rows(t, files["lanedim"], 1, func(n []int, _ string) { f = kernel.Exchanged(f, n[0]) })
			ones := structurize.OnesNone
			if _, ok := files["ones"]; ok {
				ones = structurize.OnesAll
			}
			in, ok := w.input(t, f, ones)
			if !ok {
				continue
			}
			in.EmulatedFMA, in.FMAHelp = strings.TrimSpace(files["fma"]), "do without"
			in.Reason = strings.TrimSpace(files["reason"])
			rows(t, files["lanedim"], 1, func(_ []int, why string) { in.LaneDim = why })
			rows(t, files["spills"], 4, func(n []int, rest string) {
				in.Spills = append(in.Spills, remarks.Spills{At: diag.Pos{File: "in.cl", Line: n[0]}, Depth: n[1], Stores: n[2], Reloads: n[3], Strip: rest != "around"})
			})
			rs := remarks.Of(in)
			for _, r := range rs {
				reported[r.Kind] = true
			}
			text := remarks.Format(rs, func(file string) (string, bool) { return files[file], true })
			out[fmt.Sprintf("%s x%d", w.linearizer, w.width)] = prices.ReplaceAllString(text, "$1 #$3")
		}
		return out
	})
	for _, k := range remarks.Kinds() {
		require.True(t, reported[k.Name], "no golden has a remark of kind %s", k.Name)
		require.NotEmpty(t, k.About, k.Name)
	}
	require.Len(t, reported, len(remarks.Kinds()))
}
