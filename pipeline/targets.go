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

// Available returns the reason why kernels compiled for a target cannot run on this machine; nil
// means they can.
func Available(name string) error {
	t, err := targetByName(name)
	if err != nil {
		return err
	}
	return canRun(t, &Settings{})
}

// canRun returns the reason why kernels for t with these options cannot run on the host.
func canRun(t *targets.Target, opt *Settings) error {
	if t.Level == 0 || opt.Emulate || opt.Debug.EmulateMissing {
		return nil
	}
	if ok, reason := native.Available(native.Level(t.Level)); !ok {
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
	return allTargets[slices.IndexFunc(allTargets, func(t *targets.Target) bool { return canRun(t, &Settings{}) == nil })]
}
