package fuzz

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/simtc/simtc/divergence"
	"github.com/simtc/simtc/launch"
	"github.com/simtc/simtc/structurize"
	"github.com/simtc/simtc/vir"
	viropt "github.com/simtc/simtc/vir/opt"
	"github.com/simtc/simtc/widen"
)

// counted runs e, which profiles blocks, and returns buffers and counts.
func (c *Case) counted(e launch.Executor) ([][]byte, []launch.Count, error) {
	p := &profiled{Profiler: e.(launch.Profiler)}
	mem, err := c.run(context.Background(), p, 3)
	return mem, p.counts, errors.Join(err, e.Close())
}

// profiled records the counts of the last launch.
type profiled struct {
	launch.Profiler
	counts []launch.Count
}

func (p *profiled) Launch(ctx context.Context, r launch.Range, args []launch.Arg, threads int) (err error) {
	p.counts, err = p.Profile(ctx, r, args, threads)
	return err
}

// TestCountsOfRandomKernels checks that the lane count of every block equals the number of
// visits by single work-items, and is at most the number of runs times the width.
func TestCountsOfRandomKernels(t *testing.T) {
	for _, kind := range []string{"cfg", "reducible"} {
		for seed := range seeds(14) {
			t.Run(fmt.Sprintf("%s/%d", kind, seed), func(t *testing.T) {
				c, err := Generate(seed, kind, Options{})
				require.NoError(t, err)
				f, err := Clone(c.Kernel)
				require.NoError(t, err)
				for _, p := range passes {
					p.Run(f, nil)
				}
				wantMemory, want, err := c.counted(launch.NewInterpreter(f, maxSteps, false))
				require.NoError(t, err)
				for _, l := range linearizers {
					for _, w := range WidthsOf(seed) {
						name := fmt.Sprintf("%s width %d", l.name, w)
						v, err := l.run(f, divergence.Analyze(f, divergence.Options{Width: w}), widen.Options{Width: w, Count: true})
						if errors.Is(err, structurize.ErrIrreducible) {
							break
						}
						require.NoError(t, err, name)
						require.NoError(t, vir.Verify(v), name)
						viropt.Run(v, nil)
						executors := []launch.Executor{launch.NewVIRInterpreter(program(f, v), v, maxSteps)}
						if Native(seed, 1) {
							e, err := newNative(f, v)
							require.NoError(t, err, name)
							executors = append(executors, e)
						}
						if seed%10 == 0 && w <= 16 {
							e, err := newWASM(engine(), f, v)
							require.NoError(t, err, name)
							executors = append(executors, e)
						}
						for _, e := range executors {
							memory, got, err := c.counted(e)
							require.NoError(t, err, "%s %T", name, e)
							require.NoError(t, c.Compare(wantMemory, memory), "%s %T", name, e)
							for b := range want {
								require.Equal(t, want[b].Lanes, got[b].Lanes, "%s %T: lanes of block %d", name, e, b)
								require.LessOrEqual(t, got[b].Lanes, got[b].Runs*uint64(w), "%s %T: lanes of block %d", name, e, b)
							}
						}
					}
				}
			})
		}
	}
}
