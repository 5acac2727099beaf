package wasmsimd

import (
	"github.com/simtc/simtc/internal/diag"
	"github.com/simtc/simtc/plan"
	"github.com/simtc/simtc/targets"
	"github.com/simtc/simtc/targets/wasm-simd/wasm"
	"github.com/simtc/simtc/vir"
	"github.com/simtc/simtc/vir/legalize"
)

// Name is the name of the target.
const Name = "wasm-simd"

// Target is WebAssembly with 128-bit vectors.
var Target = targets.Target{
	Name: Name, Emit: "wat", Widths: []int{1, 4, 8, 16}, MoreWidths: []int{32, 64}, // 32-bit values of 8 and 16 registers
	Legal: func(*vir.Func) legalize.Target { return Legal }, Costs: &Costs, CostsByCPU: map[string]*plan.Costs{targets.Zen5: &CostsZen5, targets.GoldenCove: &CostsGoldenCove},
	DisabledPasses: func(int, targets.Options) []string {
		// Gathers are scalar loads with additional inserts, masked stores are made lane by
		// lane, there is no instruction for dot products, no other that moves active lanes
		// together, and 16 lanes take four registers.
		return []string{"compact", "tiles", "arraycache", "gatherreductions", "dotproducts", "maskedpiecestores", "maskedinterleavestores"}
	},
	Engine:      true,
	EmulatedFMA: "WebAssembly has no instruction that rounds once, so a module needs about 20 (launches use one if the engine has relaxed SIMD)",
	FMAHelp:     "--portable rounds a*b + c twice, though not fma(); that is fast in every engine and may change the last bit; --relaxed-simd uses one instruction, for engines where that rounds once",
	Compile:     func(f *vir.Func, _ targets.Options) (targets.Code, error) { return code{f: f}, nil },
	Outputs: []targets.Output{
		{Kind: "wasm", About: "a WebAssembly module", Emit: func(codes []targets.Code, p targets.Program) ([]byte, error) {
			m, err := portable(codes, p)
			if err != nil {
				return nil, err
			}
			return m.Encode(), nil
		}},
		{Kind: "wat", About: "a WebAssembly module in text form", Emit: func(codes []targets.Code, p targets.Program) ([]byte, error) {
			m, err := portable(codes, p)
			if err != nil {
				return nil, err
			}
			return []byte(m.WAT()), nil
		}},
	},
}

// code is a function that becomes part of a module once the engine and the other functions are
// known.
type code struct {
	targets.Unreported
	f *vir.Func
}

// ABI describes the calling convention.
func (c code) ABI() vir.ABI { return c.f.ABI() }

// Module implements targets.Module.
func (c code) Module(e targets.Engine) (*wasm.Module, *diag.Places, error) {
	places := &diag.Places{}
	m, err := Compile([]*vir.Func{c.f}, Options{Shared: e.Threads, FusedMadd: e.FusedMadd, Yield: e.Yields, Rows: true, Places: places})
	return m, places, err
}

// portable compiles functions to one module for any engine. Its memory is unshared, as web pages
// need permission for shared memory.
func portable(codes []targets.Code, p targets.Program) (*wasm.Module, error) {
	fs := make([]*vir.Func, len(codes))
	for i, c := range codes {
		fs[i] = c.(code).f
	}
	places := &diag.Places{}
	m, err := Compile(fs, Options{FusedMadd: p.RelaxedSIMD, Portable: true, Data: p.Data, Places: places})
	if err != nil {
		return nil, err
	}
	m.Comment = func(line uint32) string { return p.Texts.Comment(places.At(int(line)), "") }
	return m, nil
}
