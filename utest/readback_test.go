package utest

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/simtc/simtc"
	"github.com/simtc/simtc/utest/runfile"
)

// TestReadBack checks that the text of a prepared kernel is equivalent to its source:
// parsed, it is the same kernel and compiles to the same code, for one lane and for
// several.
func TestReadBack(t *testing.T) {
	paths := append(sources(t, "kernels/*.cl"), sources(t, "../examples/*.cl")...)
	for i, path := range append(paths, sources(t, "testdata/cl2/*.cl")...) {
		if i%3 != 0 && !*long {
			continue
		}
		t.Run(name(path), func(t *testing.T) {
			t.Parallel()
			f, err := runfile.Read(path)
			require.NoError(t, err)
			r, err := readRun(path, f.Runs[0])
			require.NoError(t, err)
			r.opt.Target = simtc.AVX512
			first, err := simtc.Compile(f.Source, r.opt)
			require.NoError(t, err)
			defer first.Close()
			text, err := first.Emit("kernel")
			require.NoError(t, err)
			again, err := simtc.Compile(string(text), simtc.Options{Strategy: simtc.Strategy{Target: simtc.AVX512}, File: name(path) + ".simt", Processor: r.opt.Processor})
			require.NoError(t, err)
			defer again.Close()
			back, err := again.Emit("kernel")
			require.NoError(t, err)
			require.Equal(t, string(text), string(back))
			for i, k := range again.Kernels() {
				ways, err := k.Strategies(simtc.AVX512)
				require.NoError(t, err)
				seen := map[int]bool{}
				for _, w := range ways {
					one := len(ways) == 1 || ways[0].Width == ways[len(ways)-1].Width
					if seen[w.Width] || w.Width != 1 && w.Width != 16 && !one {
						continue
					}
					seen[w.Width] = true
					w.Bypass = simtc.BypassBoth
					code := func(k *simtc.Kernel) []byte {
						k, err := k.With(w)
						require.NoError(t, err)
						object, err := k.Emit("obj")
						require.NoError(t, err)
						return object
					}
					require.Equal(t, code(first.Kernels()[i]), code(k), "%s: %s", k.Name(), w)
				}
			}
		})
	}
}
