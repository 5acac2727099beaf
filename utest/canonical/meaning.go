package canonical

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/simtc/simtc/kernel"
	kinterp "github.com/simtc/simtc/kernel/interp"
	"github.com/simtc/simtc/launch"
	"github.com/simtc/simtc/utest/fuzz"
)

// SameMeaning requires both kernels to leave the same memory, or both to exceed the step limit.
func SameMeaning(t *testing.T, before, after *kernel.Func, scalar uint64) {
	t.Helper()
	c := fuzz.CaseOf(before, scalar)
	c.Range = launch.Of(1)
	run := func(f *kernel.Func) ([][]byte, error) {
		return c.Run(context.Background(), launch.NewInterpreter(f, 100_000, false))
	}
	want, wantErr := run(before)
	got, err := run(after)
	if errors.Is(wantErr, kinterp.ErrSteps) {
		require.ErrorIs(t, err, kinterp.ErrSteps)
		return
	}
	require.NoError(t, wantErr)
	require.NoError(t, err)
	require.NoError(t, c.Compare(want, got), "with %d:\n%s", scalar, after)
}
