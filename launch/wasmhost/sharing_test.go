package wasmhost_test

import (
	"errors"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/simtc/simtc/launch/wasmhost"
)

// countingHost counts the modules that it creates and frees.
type countingHost struct {
	wasmhost.Host
	compiled, optimized, closed atomic.Int32
}

func (h *countingHost) Compile(code []byte) (wasmhost.Module, error) {
	h.compiled.Add(1)
	if len(code) == 0 {
		return nil, errors.New("no code")
	}
	return countedModule{h: h}, nil
}

type countingOptimizer struct{ *countingHost }

func (h countingOptimizer) Optimize(code []byte) (wasmhost.Module, error) {
	h.optimized.Add(1)
	return countedModule{h: h.countingHost}, nil
}

type countedModule struct {
	wasmhost.Module
	h *countingHost
}

func (m countedModule) Close() error {
	m.h.closed.Add(1)
	return nil
}

// TestSharing checks that equal code is compiled once by concurrent callers and lives until
// the last user closes it.
func TestSharing(t *testing.T) {
	inner := &countingHost{}
	h := wasmhost.Sharing(countingOptimizer{inner})
	var users [8]wasmhost.Module
	var wait sync.WaitGroup
	for i := range users {
		wait.Go(func() { users[i], _ = h.Compile([]byte("a")) })
	}
	wait.Wait()
	require.EqualValues(t, 1, inner.compiled.Load())
	_, err := h.Compile([]byte("b"))
	require.NoError(t, err)
	require.EqualValues(t, 2, inner.compiled.Load(), "other code is another module")
	_, err = h.(wasmhost.Optimizer).Optimize([]byte("a"))
	require.NoError(t, err)
	require.EqualValues(t, 1, inner.optimized.Load(), "the same code optimized is another module")

	for _, u := range users[1:] {
		require.NoError(t, u.Close())
		require.NoError(t, u.Close(), "who has left does not leave again")
	}
	require.Zero(t, inner.closed.Load(), "one user is left")
	require.NoError(t, users[0].Close())
	require.EqualValues(t, 1, inner.closed.Load())
	_, err = h.Compile([]byte("a"))
	require.NoError(t, err)
	require.EqualValues(t, 3, inner.compiled.Load(), "what was freed is compiled again")

	for range 2 {
		_, err = h.Compile(nil)
		require.EqualError(t, err, "no code")
	}
	require.EqualValues(t, 5, inner.compiled.Load(), "what failed is tried again")
	_, can := wasmhost.Sharing(inner).(wasmhost.Optimizer)
	require.False(t, can, "a host that cannot optimize does not learn it")
}
