//go:build cgo && ((linux && (amd64 || arm64)) || (darwin && (amd64 || arm64)) || (windows && amd64))

package wasmtimehost

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/simtc/simtc/launch/wasmhost"
)

// Errors of the engine name the limit that code exceeds, so that code of fewer lanes is tried.
func TestErrorsOfTooLargeFunctions(t *testing.T) {
	err := plain(errors.New("Compilation error: Code for function is too large\n\nStack backtrace:\n0: f"))
	require.ErrorIs(t, err, wasmhost.ErrTooLarge)
	require.Equal(t, "wasmtime: Compilation error: Code for function is too large: "+wasmhost.ErrTooLarge.Error(), err.Error())
	require.NotErrorIs(t, plain(errors.New("Compilation error: unsupported")), wasmhost.ErrTooLarge)
}
