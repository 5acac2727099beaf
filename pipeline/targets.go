package pipeline

import (
	"fmt"
	"slices"
	"strings"

	"github.com/simtc/simtc/launch"
	"github.com/simtc/simtc/launch/native"
	"github.com/simtc/simtc/plan"
	"github.com/simtc/simtc/targets/avx512"
	wasmsimd "github.com/simtc/simtc/targets/wasm-simd"
	"github.com/simtc/simtc/vir"
)

// The targets. The last two interpret the intermediate representations: they are slow, run
// everywhere, and are the reference for the others.
const (
	AVX512      = "avx512"
	WASM        = "wasm-simd"
	VIR         = "vir"
	Interpreter = "interp"
)

// target describes one target. Shared code uses its fields and never compares its name.
type target struct {
	name   string
	emit   string // the default kind of Emit
	widths []int  // the widths that are planned and tested; empty: it has no lanes
	more   []int  // further supported widths, used only on request
	// costs prices branches, and on Zen 4 the strategies; nil: it has no lanes. costsByCPU has
	// the costs of other processors.
	costs          *plan.Costs
	costsByCPU     map[string]*plan.Costs
	scalar         bool     // runs the kernel IR
	disabledPasses []string // disabled passes over vir: they do not pay off on this target
	// scalarForms: one-lane code has several forms, see Threaded.
	scalarForms bool
	// vnni: launches use AVX512_VNNI where the processor has it.
	vnni bool
	// compiled: launches run machine code or a module, whose time is worth measuring.
	compiled bool
	// ownMemory: code runs in an engine's own memory, in which buffers may live.
	ownMemory bool
	// emulatedFMA is the reason why portable code emulates a fused multiply-add, fmaHelp the
	// way to avoid that; "" if the target has an instruction.
	emulatedFMA, fmaHelp string
	// available returns the reason why kernels of a width (0: open) cannot run on the host;
	// nil: they always can.
	available func(opt *Settings, width int) error
	// generate compiles a kernel to code.
	generate func(v *variant, f *vir.Func) (code, error)
}

// code is the generated code of a kernel.
type code interface {
	// executor loads the code.
	executor(p launch.Program) (launch.Executor, error)
}

var targets = []*target{
	{
		name: AVX512, emit: "asm", widths: []int{1, 4, 8, 16, 32, 64},
		disabledPasses: []string{"countmasks", "edgelanes"}, // masked additions cost no more than others, and one instruction compares all lanes
		costs:          &avx512.Costs, costsByCPU: map[string]*plan.Costs{Zen5: &avx512.CostsZen5, GoldenCove: &avx512.CostsGoldenCove},
		scalarForms: true, vnni: true, compiled: true, available: nativeAvailable, generate: generateAVX512,
	},
	{
		name: WASM, emit: "wat", widths: []int{1, 4, 8, 16}, more: []int{32, 64}, // 32-bit values of 8 and 16 registers
		costs: &wasmsimd.Costs, costsByCPU: map[string]*plan.Costs{Zen5: &wasmsimd.CostsZen5, GoldenCove: &wasmsimd.CostsGoldenCove},
		disabledPasses: []string{"tiles", "prefetch", "arraycache", "gatherlanes", "gatherreductions"}, // gathers are scalar loads with additional inserts, there is no prefetch instruction, and 16 lanes take four registers
		compiled:       true, ownMemory: true, generate: generateWASM,
		emulatedFMA: "WebAssembly has no instruction that rounds once, so a module needs about 20 (launches use one if the engine has relaxed SIMD)",
		fmaHelp:     "--portable rounds a*b + c twice, though not fma(); that is fast in every engine and may change the last bit; --relaxed-simd uses one instruction, for engines where that rounds once",
	},
	{
		name: VIR, emit: "vir", widths: []int{1, 4, 8, 16, 32, 64},
		costs: &avx512.Costs, costsByCPU: map[string]*plan.Costs{Zen5: &avx512.CostsZen5, GoldenCove: &avx512.CostsGoldenCove}, generate: generateVIR,
	},
	{name: Interpreter, emit: "kernel", scalar: true},
}

// avx2 is the target of one-lane code for processors without AVX-512. It replaces AVX512 when
// launches run on them.
var avx2 = target{
	name: AVX512, emit: "asm", widths: []int{1},
	disabledPasses: []string{"arraycache", "gatherlanes", "gatherreductions"}, // there are no mask registers and no 64-bit multiplication
	costs:          &avx512.Costs,
	scalarForms:    true, compiled: true, available: nativeAvailable, generate: generateAVX2,
}

// passesDisabledFor lists the disabled passes over vir for a processor and a width. Of two
// alternative passes one is disabled; with fast gathers, small tiles do not pay off for few
// lanes; and without VNNI, a dot product would be expanded again.
func (t *target) passesDisabledFor(processor string, width int, vnni bool) []string {
	const fewLanes = 8
	out := slices.Clone(t.disabledPasses)
	if !vnni || !t.vnni {
		out = append(out, "dotproducts")
	}
	if slices.Contains(t.disabledPasses, "gatherlanes") || !gathersFast(processor) {
		return append(out, "gatherlanes")
	}
	out = append(out, "gatherreductions")
	if width <= fewLanes {
		out = append(out, "tiles")
	}
	return out
}

// costsOn returns the costs for choosing a strategy on a processor.
func (t *target) costsOn(processor string) *plan.Costs {
	if c := t.costsByCPU[processor]; c != nil {
		return c
	}
	return t.costs
}

func targetByName(name string) (*target, error) {
	for _, t := range targets {
		if t.name == name {
			return t, nil
		}
	}
	return nil, fmt.Errorf("unknown target %q: want one of %s", name, strings.Join(Targets(), ", "))
}

// Targets lists the names of all targets.
func Targets() []string {
	var names []string
	for _, t := range targets {
		names = append(names, t.name)
	}
	return names
}

// Available returns the reason why kernels compiled for a target cannot run on this machine at
// every width; nil means they can.
func Available(name string) error {
	t, err := targetByName(name)
	if err != nil {
		return err
	}
	return t.canRun(&Settings{}, 0)
}

// canRun returns the reason why kernels with these options and of this width (0: open) cannot
// run on the host.
func (t *target) canRun(opt *Settings, width int) error {
	if t.available == nil {
		return nil
	}
	return t.available(opt, width)
}

// Widths lists the supported widths of a target.
func Widths(name string) []int {
	t, err := targetByName(name)
	if err != nil {
		return nil
	}
	return t.allWidths()
}

func (t *target) allWidths() []int { return append(slices.Clone(t.widths), t.more...) }

// takes reports whether the target supports a width.
func (t *target) takes(width int) bool {
	return slices.Contains(t.widths, width) || slices.Contains(t.more, width)
}

// DefaultEmit returns the kind of output for a target's code.
func DefaultEmit(name string) string {
	t, err := targetByName(name)
	if err != nil {
		return ""
	}
	return t.emit
}

// bestTarget returns the fastest target that the host supports.
func bestTarget() string {
	if nativeAvailable(&Settings{}, 0) == nil {
		return AVX512
	}
	return WASM
}

// native returns the target of native one-lane code if t runs in an engine and the host supports
// it, else nil.
func (t *target) native(opt *Settings) *target {
	if !t.ownMemory || nativeAvailable(opt, 1) != nil {
		return nil
	}
	return &avx2
}

// forHost returns c for the host's processor: AVX2 code if c is one-lane AVX-512 code and the host
// lacks AVX-512.
func (c Choice) forHost(opt *Settings) Choice {
	if c.target.name == AVX512 && c.width == 1 && nativeAvailable(opt, 1) == nil && nativeAvailable(opt, 0) != nil {
		c.target = &avx2
	}
	return c
}

// nativeAvailable requires AVX2 for one-lane code and AVX-512 for other code.
func nativeAvailable(opt *Settings, width int) error {
	if opt.Emulate {
		return nil
	}
	level := native.V4
	if width == 1 {
		level = native.V3
	}
	if ok, reason := native.Available(level); !ok {
		return fmt.Errorf("%w: %s", native.ErrUnavailable, reason)
	}
	return nil
}
