package divergence_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/simtc/simtc/cfg"
	"github.com/simtc/simtc/divergence"
	"github.com/simtc/simtc/internal/golden"
	"github.com/simtc/simtc/kernel"
	"github.com/simtc/simtc/utest/canonical"
)

// TestLoops analyzes loops whose iterations are the lanes.
func TestLoops(t *testing.T) {
	golden.Run(t, "testdata/loops/*.txtar", func(t *testing.T, files map[string]string) map[string]string {
		f := canonical.Kernel(t, files)
		var out []string
		for _, c := range cfg.Cycles(f.Graph()).Roots {
			info, err := divergence.AnalyzeLoop(f, f.Blocks[c.Header], divergence.Options{Width: 16})
			require.NoError(t, err)
			out = append(out, info.String())
			for _, b := range f.Blocks {
				for _, v := range b.Values {
					rs := info.Why(v)
					require.Equal(t, !info.Uniform(v), len(rs) > 0, kernel.FormatValue(v))
				}
			}
		}
		return map[string]string{"out": strings.Join(out, "\n")}
	})
}

func TestNoLoop(t *testing.T) {
	f := canonical.Kernel(t, map[string]string{"in.simt": `
kernel f {
  arg n scalar i32 - 1 "int"
entry:
  %n = arg.i32 0
  %c = slt.i32 %n, 7
  branch %c, a(0), b(1)
a(%i: i32):
  %i2 = add.i32 %i, 1
  %d = slt.i32 %i2, 10
  branch %d, b(%i2), done
b(%j: i32):
  jump a(%j)
done:
  return
}`})
	_, err := divergence.AnalyzeLoop(f, f.Blocks[0], divergence.Options{Width: 4})
	require.EqualError(t, err, "divergence: kernel f: b0 is not a loop header")
	h := f.Blocks[cfg.Cycles(f.Graph()).Roots[0].Header]
	_, err = divergence.AnalyzeLoop(f, h, divergence.Options{Width: 4})
	require.ErrorContains(t, err, "has several entries")
}
