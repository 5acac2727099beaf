package pipeline

import (
	"fmt"
	"slices"
	"strings"

	"github.com/simtc/simtc/internal/pass"
	"github.com/simtc/simtc/launch"
	"github.com/simtc/simtc/plan"
	"github.com/simtc/simtc/remarks"
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
	// oneLane is the target of one-lane code for hosts that lack the target's instructions.
	oneLane *target
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
	// count adds the statistics of code generation.
	count(stats pass.Stats)
	// abi describes the calling convention of the code.
	abi() vir.ABI
	// spills lists the spills in loops.
	spills() []remarks.Spills
	// differs reports whether another form of one-lane code would be different code.
	differs(form string) bool
	// compiler is the engine's compiler for the code: Plain or Optimized; "" if no engine runs it.
	compiler() string
}

// unreported has the methods of code for which there is nothing to report.
type unreported struct{}

func (unreported) count(pass.Stats)         {}
func (unreported) spills() []remarks.Spills { return nil }
func (unreported) differs(string) bool      { return false }
func (unreported) compiler() string         { return "" }

var targets = []*target{&avx512Target, &wasmTarget, &virTarget, &interpreterTarget}

// passesDisabledFor lists the disabled passes over vir for a processor and a width. With fast
// gathers, vectors assembled from scalar loads do not pay off, nor small tiles for few lanes;
// and without VNNI, a dot product would be expanded again.
func (t *target) passesDisabledFor(processor string, width int, vnni bool) []string {
	const fewLanes = 8
	out := slices.Clone(t.disabledPasses)
	if !vnni || !t.vnni {
		out = append(out, "dotproducts")
	}
	if !gathersFast(processor) {
		return out
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

// forHost returns c for the host: one-lane code for processors that lack the target's instructions
// is another target's.
func (c Choice) forHost(opt *Settings) Choice {
	if one := c.target.oneLane; one != nil && c.width == 1 && one.canRun(opt, 1) == nil && c.target.canRun(opt, 0) != nil {
		c.target = one
	}
	return c
}
