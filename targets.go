package simtc

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

// target is what differs from target to target. Shared code asks it and never
// the name.
type target struct {
	name   string
	emit   string // the kind that Emit shows unless told otherwise
	widths []int  // the widths that kernels are compiled and tested with; empty: it knows no lanes
	more   []int  // further widths that it takes if options or the kernel ask for them
	// costs are those that what is worth a branch goes by, and on a Zen 4 the choice of
	// a way to compile; nil: it knows no lanes. elsewhere are those of other processors.
	costs     *plan.Costs
	elsewhere map[string]*plan.Costs
	scalar    bool     // runs the kernel IR
	without   []string // passes over vir that make nothing better there
	// scalarForms says that its code of one lane has several forms, see Threaded.
	scalarForms bool
	// compiled says that what it runs is code, whose time is worth measuring.
	compiled bool
	// ownMemory says that what it runs works in a memory of its own, where buffers may live.
	ownMemory bool
	// emulatedFMA says why its portable code computes a fused multiply-add by many
	// instructions, and fmaHelp what avoids it; "" if there is an instruction.
	emulatedFMA, fmaHelp string
	// available tells why kernels of a width, 0 if it is open, cannot run here; nil: they
	// always can.
	available func(opt *Options, width int) error
	// generate turns a kernel into code and says how to load it.
	generate func(v *variant, f *vir.Func) (code, error)
}

// code is what a target made of a kernel.
type code interface {
	// executor makes the code runnable.
	executor(p launch.Program) (launch.Executor, error)
}

var targets = []*target{
	{
		name: AVX512, emit: "asm", widths: []int{1, 4, 8, 16, 32, 64},
		without: []string{"countmasks", "edgelanes"}, // additions under masks are no more than others, and all lanes are compared by one instruction
		costs:   &avx512.Costs, elsewhere: map[string]*plan.Costs{Zen5: &avx512.CostsZen5, GoldenCove: &avx512.CostsGoldenCove},
		scalarForms: true, compiled: true, available: nativeAvailable, generate: generateAVX512,
	},
	{
		name: WASM, emit: "wat", widths: []int{1, 4, 8, 16}, more: []int{32, 64}, // 32-bit values of 8 and 16 registers
		costs: &wasmsimd.Costs, elsewhere: map[string]*plan.Costs{Zen5: &wasmsimd.CostsZen5, GoldenCove: &wasmsimd.CostsGoldenCove},
		without:  []string{"tiles", "prefetch", "arraycache", "gatherlanes", "gatherreductions"}, // gathers are single loads anyway, which take longer to put together, and nothing asks for memory but loads; 16 lanes are four registers
		compiled: true, ownMemory: true, generate: generateWASM,
		emulatedFMA: "WebAssembly has no instruction that rounds once, so a module takes about 20 (launches use one where the engine has relaxed SIMD)",
		fmaHelp:     "--portable rounds a*b + c twice, though not fma(); that is fast in every engine and may change the last bit; --relaxed-simd takes one instruction, in engines where that rounds once",
	},
	{
		name: VIR, emit: "vir", widths: []int{1, 4, 8, 16, 32, 64},
		costs: &avx512.Costs, elsewhere: map[string]*plan.Costs{Zen5: &avx512.CostsZen5, GoldenCove: &avx512.CostsGoldenCove}, generate: generateVIR,
	},
	{name: Interpreter, emit: "kernel", scalar: true},
}

// avx2 is the target of code of one lane for processors without AVX-512. It stands for
// AVX512 where that is to run on them.
var avx2 = target{
	name: AVX512, emit: "asm", widths: []int{1},
	without:     []string{"arraycache", "gatherlanes", "gatherreductions"}, // comparisons have no masks, and numbers of 64 bits no products
	costs:       &avx512.Costs,
	scalarForms: true, compiled: true, available: nativeAvailable, generate: generateAVX2,
}

// passesWithout are the passes over vir that make nothing better on a processor in code
// of a width. One of two is left out that do the same in other ways; and where gathers are
// fast, those of few lanes take less than small tiles.
func (t *target) passesWithout(processor string, width int) []string {
	const fewLanes = 8
	out := slices.Clone(t.without)
	if slices.Contains(t.without, "gatherlanes") || !gathersFast(processor) {
		return append(out, "gatherlanes")
	}
	out = append(out, "gatherreductions")
	if width <= fewLanes {
		out = append(out, "tiles")
	}
	return out
}

// costsOn are the costs that a way to compile is chosen by on a processor.
func (t *target) costsOn(processor string) *plan.Costs {
	if c := t.elsewhere[processor]; c != nil {
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
	return nil, fmt.Errorf("unknown target %q; there are %s", name, strings.Join(Targets(), ", "))
}

// Targets lists the names of all targets.
func Targets() []string {
	var names []string
	for _, t := range targets {
		names = append(names, t.name)
	}
	return names
}

// Available reports why kernels compiled for a target cannot run here in every width;
// nil means they can.
func Available(name string) error {
	t, err := targetByName(name)
	if err != nil {
		return err
	}
	return t.canRun(&Options{}, 0)
}

// canRun reports why kernels compiled with these options and of this width cannot run
// here.
func (t *target) canRun(opt *Options, width int) error {
	if t.available == nil {
		return nil
	}
	return t.available(opt, width)
}

// Widths lists the widths that a target takes.
func Widths(name string) []int {
	t, err := targetByName(name)
	if err != nil {
		return nil
	}
	return t.allWidths()
}

func (t *target) allWidths() []int { return append(slices.Clone(t.widths), t.more...) }

// takes reports whether kernels can be compiled with a width.
func (t *target) takes(width int) bool {
	return slices.Contains(t.widths, width) || slices.Contains(t.more, width)
}

// DefaultEmit is the kind of output that shows a target's code best.
func DefaultEmit(name string) string {
	t, err := targetByName(name)
	if err != nil {
		return ""
	}
	return t.emit
}

// bestTarget is the fastest one that runs here.
func bestTarget() string {
	if nativeAvailable(&Options{}, 0) == nil {
		return AVX512
	}
	return WASM
}

// native is the target of machine code if t runs none and code of one lane runs here, else nil.
func (t *target) native(opt *Options) *target {
	if !t.ownMemory || nativeAvailable(opt, 1) != nil {
		return nil
	}
	return &avx2
}

// here is c, or for processors like the one here, if that lacks AVX-512 and c is code of
// one lane that runs on it.
func (c config) here(opt *Options) config {
	if c.target.name == AVX512 && c.width == 1 && nativeAvailable(opt, 1) == nil && nativeAvailable(opt, 0) != nil {
		c.target = &avx2
	}
	return c
}

// nativeAvailable takes AVX2 for code of one lane.
func nativeAvailable(opt *Options, width int) error {
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
