//go:build cgo && !nowasmtime && ((linux && (amd64 || arm64)) || (darwin && (amd64 || arm64)) || (windows && amd64))

package defaulthost

import (
	"github.com/simtc/simtc/launch/wasmhost"
	"github.com/simtc/simtc/launch/wasmhost/wasmtimehost"
)

// New returns the engine of this build.
func New() wasmhost.Host { return wasmtimehost.New() }
