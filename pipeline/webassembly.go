package pipeline

import (
	"errors"
	"slices"

	"github.com/simtc/simtc/internal/diag"
	"github.com/simtc/simtc/launch"
	"github.com/simtc/simtc/plan"
	wasmsimd "github.com/simtc/simtc/targets/wasm-simd"
	"github.com/simtc/simtc/targets/wasm-simd/wasm"
	"github.com/simtc/simtc/vir"
)

// wasmTarget is WebAssembly with 128-bit vectors.
var wasmTarget = target{
	name: WASM, emit: "wat", widths: []int{1, 4, 8, 16}, more: []int{32, 64}, // 32-bit values of 8 and 16 registers
	costs: &wasmsimd.Costs, costsByCPU: map[string]*plan.Costs{Zen5: &wasmsimd.CostsZen5, GoldenCove: &wasmsimd.CostsGoldenCove},
	disabledPasses: []string{"tiles", "arraycache", "gatherreductions"}, // gathers are scalar loads with additional inserts, and 16 lanes take four registers
	compiled:       true, ownMemory: true, generate: generateWASM,
	emulatedFMA: "WebAssembly has no instruction that rounds once, so a module needs about 20 (launches use one if the engine has relaxed SIMD)",
	fmaHelp:     "--portable rounds a*b + c twice, though not fma(); that is fast in every engine and may change the last bit; --relaxed-simd uses one instruction, for engines where that rounds once",
}

// wasmCode is encoded as a module once the engine and thus its features are known.
type wasmCode struct {
	unreported
	f      *vir.Func
	prog   *Program
	engine string // Plain or Optimized; "": see optimize
}

func generateWASM(v *variant, f *vir.Func) (code, error) {
	return wasmCode{f: f, prog: v.k.shared.prog, engine: v.k.cfg.engine}, nil
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

func (c wasmCode) abi() vir.ABI { return c.f.ABI() }

func (c wasmCode) compiler() string {
	if c.optimize() {
		return Optimized
	}
	return Plain
}

// tooLong reports whether err says that code exceeds an engine's limit.
func tooLong(err error) bool {
	if err == nil {
		return false
	}
	var limit *wasm.LimitError
	return errors.As(err, &limit)
}

// wasmModule compiles all kernels to one portable WebAssembly module.
func (p *Program) wasmModule(ks []*Kernel) (*wasm.Module, error) {
	vs, err := forEachKernel(ks, func(k *Kernel) (*variant, error) {
		v, err := k.variant()
		if err == nil {
			_, err = v.finished()
		}
		return v, err
	})
	if err != nil {
		return nil, err
	}
	fs := make([]*vir.Func, len(vs))
	for i, v := range vs {
		fs[i] = v.final
	}
	// Every engine supports unshared memory; web pages need permission for shared memory.
	places, texts := &diag.Places{}, diag.NewTexts(p.Source)
	m, err := wasmsimd.Compile(fs, wasmsimd.Options{FusedMadd: p.RelaxedSIMD, Portable: true, Data: p.dataOf(), Places: places})
	var limit *wasm.LimitError
	if errors.As(err, &limit) {
		i := slices.IndexFunc(vs, func(v *variant) bool { return v.k.Name() == limit.Func })
		if err := ks[i].shared.narrow(ks[i].cfg, vs[i].k.cfg, err); err != nil {
			return nil, err
		}
		return p.wasmModule(ks)
	}
	if err == nil {
		m.Comment = func(line uint32) string { return texts.Comment(places.At(int(line)), "") }
	}
	return m, err
}

func emitWASM(p *Program, ks []*Kernel) ([]byte, error) {
	m, err := p.wasmModule(ks)
	if err != nil {
		return nil, err
	}
	return m.Encode(), nil
}

func emitWAT(p *Program, ks []*Kernel) ([]byte, error) {
	m, err := p.wasmModule(ks)
	if err != nil {
		return nil, err
	}
	return []byte(m.WAT()), nil
}
