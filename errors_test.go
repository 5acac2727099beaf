package simtc_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/simtc/simtc"
)

// The error of a launch whose context ended is that of the context, whatever its cause.
func TestCauseOfCancellation(t *testing.T) {
	why := errors.New("why")
	const source = `__kernel void wait(__global volatile int *p) { while (p[get_global_id(0)] == 0) ; }`
	for _, target := range simtc.Targets() {
		k, err := compile(t, source, simtc.Options{Target: target, Emulate: target == simtc.AVX512}).Kernel("")
		require.NoError(t, err)
		require.NoError(t, k.Build())
		launches := map[string]func(context.Context) error{
			"Launch": func(ctx context.Context) error { return k.Launch(ctx, simtc.NDRange(8), make([]int32, 8)) },
			"Profile": func(ctx context.Context) error {
				_, err := k.Profile(ctx, simtc.NDRange(8), make([]int32, 8))
				return err
			},
		}
		for name, launch := range launches {
			ctx, cancel := context.WithCancelCause(context.Background())
			time.AfterFunc(10*time.Millisecond, func() { cancel(why) })
			for range 2 { // while it runs, and before it
				err = launch(ctx)
				require.ErrorIs(t, err, why, "%s: %s", target, name)
				require.ErrorIs(t, err, context.Canceled, "%s: %s", target, name)
			}
			ctx, cancelTimeout := context.WithTimeoutCause(context.Background(), 10*time.Millisecond, why)
			err = launch(ctx)
			cancelTimeout()
			require.ErrorIs(t, err, why, "%s: %s", target, name)
			require.ErrorIs(t, err, context.DeadlineExceeded, "%s: %s", target, name)
			ctx, stop := context.WithTimeout(context.Background(), 10*time.Millisecond)
			err = launch(ctx)
			stop()
			require.ErrorIs(t, err, context.DeadlineExceeded, "%s: %s", target, name)
		}
	}
}

// What Options.Include fails with can be found in the error of Compile.
func TestErrorOfInclude(t *testing.T) {
	why := errors.New("the store is closed")
	_, err := simtc.Compile("#include <a.h>\n#include <b.h>\n", simtc.Options{
		Include: func(name, _ string, _ bool) (string, string, error) {
			if name == "a.h" {
				return name, "int x = ;", nil
			}
			return "", "", why
		},
	})
	require.ErrorIs(t, err, why)
	require.ErrorContains(t, err, "kernel.cl:2:")
	require.ErrorContains(t, err, "cannot include 'b.h': the store is closed")
	var wrong *simtc.CompileError
	require.ErrorAs(t, err, &wrong)
	require.Len(t, wrong.Diagnostics, 2)
}
