package fuzz

import (
	"sync"

	"github.com/simtc/simtc/kernel"
	"github.com/simtc/simtc/launch"
	"github.com/simtc/simtc/launch/native"
	"github.com/simtc/simtc/launch/wasmhost"
	"github.com/simtc/simtc/launch/wasmhost/defaulthost"
	"github.com/simtc/simtc/targets/avx512"
	wasmsimd "github.com/simtc/simtc/targets/wasm-simd"
	"github.com/simtc/simtc/targets/wasm-simd/wasm"
	"github.com/simtc/simtc/vir"
)

// NativeAvailable tells whether this machine runs AVX-512 code.
func NativeAvailable() bool {
	ok, _ := native.Available()
	return ok
}

// newNative compiles v to machine code.
func newNative(f *kernel.Func, v *vir.Func) (launch.Executor, error) {
	c, err := avx512.Compile(v, avx512.Options{})
	if err != nil {
		return nil, err
	}
	return launch.NewNative(program(f, v), c.Bytes, c.Entry, c.SpillBytes)
}

var engine = sync.OnceValue(func() wasmhost.Host { return defaulthost.New() })

// newWASM compiles v to a module for the engine of this build. An unshared
// memory is cheaper to make.
func newWASM(f *kernel.Func, v *vir.Func) (launch.Executor, error) {
	host := engine()
	m, err := wasmsimd.Compile([]*vir.Func{v}, wasmsimd.Options{Yield: host.Yields()})
	if err != nil {
		return nil, err
	}
	m.Memory.Max, m.Memory.HasMax = wasm.MaxPages, true
	return launch.NewWASM(program(f, v), host, nil, m, "fuzz.simt")
}
