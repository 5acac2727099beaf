package pipeline

import (
	"errors"

	"github.com/simtc/simtc/internal/diag"
	"github.com/simtc/simtc/launch"
	"github.com/simtc/simtc/launch/native"
	"github.com/simtc/simtc/opt"
	"github.com/simtc/simtc/targets/avx512"
	wasmsimd "github.com/simtc/simtc/targets/wasm-simd"
	"github.com/simtc/simtc/targets/wasm-simd/wasm"
	"github.com/simtc/simtc/vir"
)

// virCode is vector IR to be interpreted.
type virCode struct {
	f        *vir.Func
	maxSteps uint64
}

func generateVIR(v *variant, f *vir.Func) (code, error) {
	return virCode{f, v.k.shared.prog.MaxSteps}, nil
}

func (c virCode) executor(p launch.Program) (launch.Executor, error) {
	return launch.NewVIRInterpreter(p, c.f, c.maxSteps), nil
}

// wasmCode is encoded as a module once the engine and thus its features are known.
type wasmCode struct {
	f      *vir.Func
	prog   *Program
	engine string // Plain or Optimized; "": see optimize
}

func generateWASM(v *variant, f *vir.Func) (code, error) {
	return wasmCode{f, v.k.shared.prog, v.k.cfg.engine}, nil
}

func (c wasmCode) executor(p launch.Program) (launch.Executor, error) {
	host := engine()
	fused, err := fusedMadd()
	if err != nil {
		return nil, err
	}
	places := &diag.Places{}
	m, err := wasmsimd.Compile([]*vir.Func{c.f}, wasmsimd.Options{
		Shared: host.Features()&wasm.Threads != 0, FusedMadd: fused, Yield: host.Yields(), Rows: true, Places: places,
	})
	if err != nil {
		return nil, err
	}
	return launch.NewWASM(p, host, c.prog.EngineMemory(), m, c.optimize(), places)
}

// tooLong reports whether err says that code exceeds an engine's limit.
func tooLong(err error) bool {
	if err == nil {
		return false
	}
	var limit *wasm.LimitError
	return errors.As(err, &limit)
}

// nativeCode is machine code for AVX-512, or for AVX2.
type nativeCode struct {
	*avx512.Code
	of *state
}

func generateAVX512(v *variant, f *vir.Func) (code, error) {
	options := v.k.cfg.scalarForm().options
	options.GathersFast = gathersFast(v.k.shared.prog.Processor)
	options.FetchAhead = fetchesAhead(v.k.shared.prog.Processor)
	options.VNNI = v.k.cfg.vnni
	return generateNative(v, f, options)
}

func generateAVX2(v *variant, f *vir.Func) (code, error) {
	options := v.k.cfg.scalarForm().options
	options.V3 = true
	return generateNative(v, f, options)
}

func generateNative(v *variant, f *vir.Func, options avx512.Options) (code, error) {
	c, err := avx512.Compile(f, options)
	if err != nil {
		return nil, err
	}
	return nativeCode{c, v.k.shared}, nil
}

func (c nativeCode) executor(p launch.Program) (launch.Executor, error) {
	opt := &c.of.prog.Settings
	level := native.Level(c.Level)
	if c.VNNI {
		level = native.VNNI
	}
	present, _ := native.Present(level) // false if the level is only assumed
	if present && !opt.Emulate {
		return launch.NewNative(p, native.Image{Text: c.Bytes, Entries: []int{c.Entry}, Level: level}, c.At, c.SpillBytes)
	}
	code, err := c.Emulation()
	if err != nil {
		return nil, err
	}
	return launch.NewEmulated(p, code, c.Places, c.SpillBytes, opt.MaxSteps, c.of.executed), nil
}

// count adds the statistics of code generation.
func (c nativeCode) count(stats opt.Stats) {
	stats.Add("dispatches duplicated", c.Stats.Dispatches)
	stats.Add("gathers of all lanes as single loads", c.Stats.Singly)
	stats.Add("rows prefetched", c.Stats.Fetched)
	stats.Add("selects turned into branches", c.Stats.Branched)
	stats.Add("paths threaded past tests", c.Stats.Replicas)
}
