package pipeline

import (
	"fmt"
	"slices"
	"strings"

	"github.com/simtc/simtc/launch/native"
	"github.com/simtc/simtc/targets"
	"github.com/simtc/simtc/targets/avx2"
	"github.com/simtc/simtc/targets/avx512"
	wasmsimd "github.com/simtc/simtc/targets/wasm-simd"
)

// allTargets lists the targets. The default is the first that the host supports.
var allTargets = []*targets.Target{&avx512.Target, &avx2.Target, &wasmsimd.Target, &virTarget, &interpreterTarget}

// The names of targets. The last two interpret the intermediate representations: they are slow,
// run everywhere, and are the reference for the others.
const (
	AVX512      = avx512.Name
	AVX2        = avx2.Name
	WASM        = wasmsimd.Name
	VIR         = "vir"
	Interpreter = "interp"
)

func targetByName(name string) (*targets.Target, error) {
	for _, t := range allTargets {
		if t.Name == name {
			return t, nil
		}
	}
	return nil, fmt.Errorf("unknown target %q: want one of %s", name, strings.Join(Targets(), ", "))
}

// Targets lists the names of all targets.
func Targets() []string {
	var names []string
	for _, t := range allTargets {
		names = append(names, t.Name)
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
	return canRun(t, &Settings{}, 0)
}

// canRun returns the reason why kernels for t with these options and of this width (0: open)
// cannot run on the host.
func canRun(t *targets.Target, opt *Settings, width int) error {
	if t.Level == 0 || opt.Emulate {
		return nil
	}
	level := t.Level
	if width == 1 && t.OneLane != nil {
		level = t.OneLane.Level
	}
	if ok, reason := native.Available(native.Level(level)); !ok {
		return fmt.Errorf("%w: %s", native.ErrUnavailable, reason)
	}
	return nil
}

// Widths lists the supported widths of a target.
func Widths(name string) []int {
	t, err := targetByName(name)
	if err != nil {
		return nil
	}
	return t.AllWidths()
}

// DefaultEmit returns the kind of output for a target's code.
func DefaultEmit(name string) string {
	t, err := targetByName(name)
	if err != nil {
		return ""
	}
	return t.Emit
}

// IsNative reports whether a target's code is machine code, which Settings.Emulate runs in an
// emulator.
func IsNative(name string) bool {
	t, err := targetByName(name)
	return err == nil && t.Level > 0
}

// InEngine reports whether a target's code runs in a WebAssembly engine.
func InEngine(name string) bool {
	t, err := targetByName(name)
	return err == nil && t.Engine
}

// bestTarget returns the fastest target that the host supports.
func bestTarget() *targets.Target {
	return allTargets[slices.IndexFunc(allTargets, func(t *targets.Target) bool { return canRun(t, &Settings{}, 0) == nil })]
}

// nativeOneLane returns the target of native one-lane code if t runs in an engine and the host
// supports it, else nil.
func nativeOneLane(t *targets.Target, opt *Settings) *targets.Target {
	for _, n := range allTargets {
		if one := n.OneLane; t.Engine && one != nil && canRun(one, opt, 1) == nil {
			return one
		}
	}
	return nil
}

// forHost returns c for the host: one-lane code for processors that lack the target's instructions
// is another target's.
func (c Choice) forHost(opt *Settings) Choice {
	if one := c.target.OneLane; one != nil && c.width == 1 && canRun(one, opt, 1) == nil && canRun(c.target, opt, 0) != nil {
		c.target = one
	}
	return c
}
