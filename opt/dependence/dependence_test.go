package dependence_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/simtc/simtc/cfg"
	"github.com/simtc/simtc/internal/golden"
	"github.com/simtc/simtc/kernel"
	"github.com/simtc/simtc/opt"
	"github.com/simtc/simtc/opt/dependence"
	"github.com/simtc/simtc/utest/canonical"
)

// TestGoldens prints the dependences of each loop, if buffers do not overlap and if they may.
func TestGoldens(t *testing.T) {
	golden.Run(t, "testdata/*.txtar", func(t *testing.T, files map[string]string) map[string]string {
		f := canonical.Kernel(t, files)
		return map[string]string{"distinct": dependences(t, f, false), "overlapping": dependences(t, f, true)}
	})
}

func dependences(t *testing.T, f *kernel.Func, overlap bool) string {
	t.Helper()
	loops, in := cfg.Cycles(f.Graph()), opt.InEdges(f)
	var b strings.Builder
	for _, c := range loops.Cycles {
		l := dependence.NewLoop(f, loops, c, in, overlap)
		r := l.Dependences(func(*kernel.Value) bool { return false })
		fmt.Fprintf(&b, "loop in line %d\n", f.Blocks[c.Header].Pos.Line)
		for _, d := range r.Carried {
			fmt.Fprintf(&b, "  %s\n", d)
		}
		for _, d := range r.Ordered {
			fmt.Fprintf(&b, "  in order: %s\n", d)
		}
		for _, d := range r.Distances {
			low, high := d.Conflicts(15)
			fmt.Fprintf(&b, "  of 16 iterations, the accesses in lines %d and %d conflict for distances from %d to below %d\n", d.From.Pos.Line, d.To.Pos.Line, low, high)
		}
		for _, v := range r.Rows {
			fmt.Fprintf(&b, "  independent if %s < %d\n", kernel.Ref(v), dependence.MaxRow)
		}
	}
	return b.String()
}
