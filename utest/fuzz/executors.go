package fuzz

import (
	"sync/atomic"

	"github.com/simtc/simtc/internal/diag"
	"github.com/simtc/simtc/kernel"
	"github.com/simtc/simtc/launch"
	"github.com/simtc/simtc/launch/native"
	"github.com/simtc/simtc/launch/wasmhost"
	"github.com/simtc/simtc/targets/avx2"
	"github.com/simtc/simtc/targets/avx512"
	wasmsimd "github.com/simtc/simtc/targets/wasm-simd"
	"github.com/simtc/simtc/targets/wasm-simd/wasm"
	"github.com/simtc/simtc/targets/x86"
	"github.com/simtc/simtc/vir"
)

// NativeAvailable reports whether this machine runs AVX-512 code.
func NativeAvailable() bool {
	ok, _ := native.Available(native.V4)
	return ok
}

// Native reports whether a test should run the AVX-512 code of a seed: one seed in n, and
// fewer if the code is emulated.
func Native(seed, n int64) bool {
	if !NativeAvailable() {
		n *= 3
	}
	return seed%n == 1%n
}

// newNative compiles v to machine code, which is emulated if the processor lacks an extension.
// Emulated code has dot products.
func newNative(f *kernel.Func, v *vir.Func) (launch.Executor, error) {
	vnni, _ := native.Available(native.VNNI)
	return newMachineCode(f, v, func() (*x86.Code, error) { return avx512.Compile(v, avx512.Options{VNNI: vnni || !NativeAvailable()}) })
}

// newAVX2 is newNative for processors without AVX-512. The forms of accesses depend on the kernel.
func newAVX2(f *kernel.Func, v *vir.Func) (launch.Executor, error) {
	o := avx2.Options{GathersFast: f.NumValues()&1 != 0, StoresFast: f.NumValues()&2 != 0}
	return newMachineCode(f, v, func() (*x86.Code, error) { return avx2.Compile(v, o) })
}

func newMachineCode(f *kernel.Func, v *vir.Func, compile func() (*x86.Code, error)) (launch.Executor, error) {
	c, err := compile()
	if err != nil {
		return nil, err
	}
	image := native.Image{Text: c.Bytes, Entries: []int{c.Entry}, Level: native.Level(c.Level)}
	if c.VNNI {
		image.Level = native.VNNI
	}
	if ok, _ := native.Available(image.Level); !ok {
		code, err := c.Emulation()
		if err != nil {
			return nil, err
		}
		return launch.NewEmulated(program(f, v), code, c.Places, c.SpillBytes, maxSteps, new(atomic.Uint64)), nil
	}
	return launch.NewNative(program(f, v), image, c.At, c.SpillBytes)
}

// newWASM compiles v to a module for an engine. Its memory is not shared, which is cheaper.
func newWASM(host wasmhost.Host, f *kernel.Func, v *vir.Func) (launch.Executor, error) {
	places := &diag.Places{}
	m, err := wasmsimd.Compile([]*vir.Func{v}, wasmsimd.Options{Yield: host.Yields(), Rows: true, Places: places})
	if err != nil {
		return nil, err
	}
	m.Memory.Max, m.Memory.HasMax = wasm.MaxPages, true
	return launch.NewWASM(program(f, v), host, nil, m, v.Width == 1, places)
}
