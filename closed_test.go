package simtc_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/simtc/simtc"
)

// Kernels of a closed program do not run, whether they ran before or not; queries still work.
func TestClosedProgram(t *testing.T) {
	const source = one + `__kernel void two(__global int *p) { p[get_global_id(0)] = 2; }`
	ctx := context.Background()
	for _, target := range simtc.Targets() {
		p := compile(t, source, simtc.Options{Strategy: simtc.Strategy{Target: target}, Emulate: target == simtc.AVX512})
		b := make([]int32, 4)
		before, err := p.Kernel("one")
		require.NoError(t, err)
		require.NoError(t, before.Launch(ctx, simtc.NDRange(4), b))
		_, err = before.Profile(ctx, simtc.NDRange(4), b)
		require.NoError(t, err)
		require.NoError(t, p.Close())
		require.NoError(t, p.Close())
		never, err := p.Kernel("two")
		require.NoError(t, err)
		other, err := before.With(simtc.Strategy{Target: simtc.Interpreter})
		require.NoError(t, err)
		clear(b)
		for _, k := range []*simtc.Kernel{before, never, other} {
			require.ErrorIs(t, k.Launch(ctx, simtc.NDRange(4), b), simtc.ErrClosed, target)
			_, err := k.Profile(ctx, simtc.NDRange(4), b)
			require.ErrorIs(t, err, simtc.ErrClosed, target)
			_, err = k.Alloc(16)
			require.ErrorIs(t, err, simtc.ErrClosed, target)
			require.ErrorIs(t, k.Build(), simtc.ErrClosed, target)
			_, err = k.Emit("kernel")
			require.NoError(t, err)
			_, err = k.Remarks()
			require.NoError(t, err)
		}
		require.Equal(t, make([]int32, 4), b)
	}
}

// A kernel that was not obtained from a program returns errors.
func TestKernelOfNoProgram(t *testing.T) {
	for _, k := range []*simtc.Kernel{nil, {}} {
		const says = "not obtained from Program.Kernel"
		require.ErrorContains(t, k.Launch(context.Background(), simtc.NDRange(1)), says)
		_, err := k.Profile(context.Background(), simtc.NDRange(1))
		require.ErrorContains(t, err, says)
		require.ErrorContains(t, k.Build(), says)
		_, err = k.Alloc(1)
		require.ErrorContains(t, err, says)
		_, err = simtc.RemarksOf([]*simtc.Kernel{k})
		require.ErrorContains(t, err, says)
	}
}
