package simtc

import (
	"errors"

	"github.com/simtc/simtc/launch"
	wasmsimd "github.com/simtc/simtc/targets/wasm-simd"
	"github.com/simtc/simtc/targets/wasm-simd/wasm"
	"github.com/simtc/simtc/vir"
)

// virCode is the vector IR itself.
type virCode struct {
	f        *vir.Func
	maxSteps uint64
}

func generateVIR(v *variant, f *vir.Func) (code, error) {
	return virCode{f, v.k.shared.prog.opt.MaxSteps}, nil
}

func (c virCode) executor(p launch.Program) (launch.Executor, error) {
	return launch.NewVIRInterpreter(p, c.f, c.maxSteps), nil
}

// wasmCode becomes a module when the engine and so its features are known.
type wasmCode struct {
	f    *vir.Func
	file string
}

func generateWASM(v *variant, f *vir.Func) (code, error) {
	return wasmCode{f, v.k.shared.prog.opt.File}, nil
}

func (c wasmCode) executor(p launch.Program) (launch.Executor, error) {
	host := engine()
	features := host.Features()
	m, err := wasmsimd.Compile([]*vir.Func{c.f}, wasmsimd.Options{
		Shared:    features&wasm.Threads != 0,
		FusedMadd: features&wasm.RelaxedSIMD != 0 && fusedMadd(),
	})
	if err != nil {
		return nil, err
	}
	return launch.NewWASM(p, host, m, c.file)
}

func generateAVX512(v *variant, f *vir.Func) (code, error) {
	return nil, errors.New("avx512 is being built")
}
