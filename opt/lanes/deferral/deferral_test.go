package deferral_test

import (
	"context"
	"encoding/binary"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/simtc/simtc/divergence"
	"github.com/simtc/simtc/internal/golden"
	"github.com/simtc/simtc/kernel"
	"github.com/simtc/simtc/launch"
	"github.com/simtc/simtc/opt/lanes/deferral"
	"github.com/simtc/simtc/utest/canonical"
	"github.com/simtc/simtc/utest/fuzz"
)

func shapes(f *kernel.Func) *divergence.Info {
	return divergence.Analyze(f, divergence.Options{Width: 16})
}

// TestGoldens prints both kernels, or "no" where nothing is deferred.
func TestGoldens(t *testing.T) {
	golden.Run(t, "testdata/*.txtar", func(t *testing.T, files map[string]string) map[string]string {
		f := canonical.Kernel(t, files)
		before := f.String()
		p := deferral.Split(f, shapes(f), deferral.Options{})
		fits, certain := deferral.Fit(f, shapes(f), deferral.Options{})
		require.Equal(t, p != nil, fits)
		require.Equal(t, before, f.String(), "Split must not modify its argument")
		if p == nil {
			return map[string]string{"now.simt": "no\n"}
		}
		require.NoError(t, kernel.Verify(p.Now))
		require.NoError(t, kernel.Verify(p.Later))
		return map[string]string{"now.simt": p.Now.String(), "later.simt": p.Later.String(), "fields": fmt.Sprintln(p.Fields), "certain": fmt.Sprintln(certain)}
	})
}

// TestPartsDoTheWhole checks that for random kernels the two parts, run one after the other
// by the interpreter, leave the same memory as the original.
func TestPartsDoTheWhole(t *testing.T) {
	cases := int64(3000)
	if testing.Short() {
		cases = 300
	}
	split, later := 0, uint64(0)
	for seed := range cases {
		c := fuzz.Kernel(seed, fuzz.Options{Reducible: seed%2 == 0})
		f, err := fuzz.Clone(c.Kernel)
		require.NoError(t, err)
		canonical.Form(t, f)
		p := deferral.Split(f, shapes(f), deferral.Options{Far: true, Any: true, NoAlias: true})
		if p == nil || p.Later.Uses(kernel.GlobalSize, kernel.NumGroups, kernel.GlobalOffset, kernel.WorkDim) || c.Range.Dims > 1 {
			continue // deferred work-items would see another range
		}
		split++
		require.NoError(t, kernel.Verify(p.Now), "seed %d", seed)
		require.NoError(t, kernel.Verify(p.Later), "seed %d", seed)
		want, err := c.Run(context.Background(), launch.NewInterpreter(f, 1<<24, false))
		require.NoError(t, err)
		got, n := runParts(t, c, p)
		require.NoError(t, c.Compare(want, got), "seed %d\n%s\n%s", seed, p.Now, p.Later)
		later += n
	}
	require.Greater(t, split, int(cases)/200)
	require.Greater(t, later, uint64(split)) // work-items
}

// runParts interprets now over the range and then later over the deferred work-items.
func runParts(t *testing.T, c *fuzz.Case, p *deferral.Parts) (mem [][]byte, later uint64) {
	t.Helper()
	mem = c.Memory()
	args := make([]launch.Arg, len(mem))
	for i := range args {
		if c.Scalars[i] != nil {
			args[i] = launch.Bytes(c.Scalars[i])
		} else {
			args[i] = launch.Buffer(mem[i])
		}
	}
	items := c.Range.Global[0]
	count := make([]byte, 4)
	args = append(args, launch.Buffer(count))
	for _, bytes := range p.Fields {
		args = append(args, launch.Buffer(make([]byte, int(items)*bytes)))
	}
	run := func(f *kernel.Func, r launch.Range) {
		require.NoError(t, launch.NewInterpreter(f, 1<<24, false).Launch(context.Background(), r, args, 1), "seed %d\n%s", c.Seed, f)
	}
	run(p.Now, c.Range)
	later = uint64(binary.LittleEndian.Uint32(count))
	require.LessOrEqual(t, later, items)
	if later > 0 {
		run(p.Later, launch.Range{Dims: 1, Global: [3]uint64{later}})
	}
	return mem, later
}
