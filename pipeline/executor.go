package pipeline

import (
	"fmt"

	"github.com/simtc/simtc/launch"
	"github.com/simtc/simtc/launch/native"
	"github.com/simtc/simtc/launch/wasmhost"
	"github.com/simtc/simtc/targets"
	"github.com/simtc/simtc/targets/wasm-simd/wasm"
)

// load returns an executor for the variant's code, according to the kind of code.
func (v *variant) load() (launch.Executor, error) {
	p := v.program()
	switch c := v.code.(type) {
	case targets.Native:
		return v.loadNative(c, p)
	case targets.Module:
		return v.loadModule(c, p)
	case virCode:
		return launch.NewVIRInterpreter(p, c.f, v.k.shared.prog.MaxSteps), nil
	}
	return nil, fmt.Errorf("no executor runs the code of target %s", v.k.cfg.target.Name)
}

// loadNative loads machine code on this processor or in an emulator.
func (v *variant) loadNative(c targets.Native, p launch.Program) (launch.Executor, error) {
	opt, image := &v.k.shared.prog.Settings, c.Image()
	level := native.Level(image.Level)
	if image.VNNI {
		level = native.VNNI
	}
	present, _ := native.Present(level) // false if the level is only assumed
	if present && !opt.Emulate {
		return launch.NewNative(p, native.Image{Text: image.Text, Entries: []int{image.Entry}, Level: level}, image.At, image.SpillBytes)
	}
	code, err := c.Emulation()
	if err != nil {
		return nil, err
	}
	return launch.NewEmulated(p, code, image.Places, image.SpillBytes, opt.MaxSteps, v.k.shared.executed), nil
}

// loadModule loads a module in the WebAssembly engine.
func (v *variant) loadModule(c targets.Module, p launch.Program) (launch.Executor, error) {
	host := engine()
	fused, err := fusedMadd()
	if err != nil {
		return nil, err
	}
	m, places, err := c.Module(targets.Engine{Threads: hasThreads(host), FusedMadd: fused, Yields: host.Yields()})
	if err != nil {
		return nil, err
	}
	return launch.NewWASM(p, host, v.k.shared.prog.EngineMemory(), m, v.optimized(), places)
}

// hasThreads reports whether an engine has threads, and so shared memory.
func hasThreads(host wasmhost.Host) bool { return host.Features()&wasm.Threads != 0 }
