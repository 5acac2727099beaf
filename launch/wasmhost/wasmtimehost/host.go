//go:build cgo && ((linux && (amd64 || arm64)) || (darwin && (amd64 || arm64)) || (windows && amd64))

package wasmtimehost

import (
	"errors"
	"fmt"
	"strings"
	"sync"

	"github.com/bytecodealliance/wasmtime-go/v39"

	"github.com/simtc/simtc/launch/wasmhost"
	"github.com/simtc/simtc/targets/wasm-simd/wasm"
)

type host struct {
	engine     *wasmtime.Engine
	optimizing func() *wasmtime.Engine // only compiles: memories and instances belong to one engine
}

// New gives the host. All hosts of a process share one engine.
var New = sync.OnceValue(func() wasmhost.Host {
	return &host{newEngine(wasmtime.OptLevelNone), sync.OnceValue(func() *wasmtime.Engine { return newEngine(wasmtime.OptLevelSpeed) })}
})

func newEngine(level wasmtime.OptLevel) *wasmtime.Engine {
	config := wasmtime.NewConfig()
	config.SetWasmSIMD(true)
	config.SetWasmRelaxedSIMD(true)
	config.SetWasmThreads(true)
	config.SetCraneliftOptLevel(level)
	config.SetParallelCompilation(false) // a module is mostly one function: threads cost more than they take over
	return wasmtime.NewEngineWithConfig(config)
}

func (h *host) Name() string            { return "wasmtime" }
func (h *host) Features() wasm.Features { return wasm.RelaxedSIMD | wasm.Threads }

// Yields is false: a call is a cgo call, for which the garbage collector does
// not wait.
func (h *host) Yields() bool { return false }

func (h *host) Compile(code []byte) (wasmhost.Module, error) {
	m, err := wasmtime.NewModule(h.engine, code)
	if err != nil {
		return nil, plain(err)
	}
	return h.module(m)
}

// Optimize compiles with another engine and loads the result into the one that runs it:
// code of engines that differ in how they optimize is compatible.
func (h *host) Optimize(code []byte) (wasmhost.Module, error) {
	m, err := wasmtime.NewModule(h.optimizing(), code)
	if err != nil {
		return nil, plain(err)
	}
	compiled, err := m.Serialize()
	m.Close()
	if err != nil {
		return nil, plain(err)
	}
	if m, err = wasmtime.NewModuleDeserialize(h.engine, compiled); err != nil {
		return nil, plain(err)
	}
	return h.module(m)
}

// module checks what m imports.
func (h *host) module(m *wasmtime.Module) (wasmhost.Module, error) {
	for _, i := range m.Imports() {
		if i.Module() != "env" || i.Name() == nil || *i.Name() != "memory" {
			m.Close()
			return nil, fmt.Errorf("wasmtime: unknown import %s", i.Module())
		}
	}
	return &module{h, m, len(m.Imports())}, nil
}

// plain drops what wasmtime appends to its messages after the first line about
// the cause.
func plain(err error) error {
	text, _, _ := strings.Cut(err.Error(), "\n\nStack backtrace")
	lines := strings.Fields(strings.ReplaceAll(text, "Caused by:", ":"))
	return errors.New("wasmtime: " + strings.Join(lines, " "))
}

type module struct {
	h       *host
	m       *wasmtime.Module
	imports int
}

func (m *module) Close() error {
	m.m.Close()
	return nil
}

func (m *module) Instantiate(mem wasmhost.Memory) (wasmhost.Instance, error) {
	b, ok := mem.(binding)
	if !ok {
		return nil, errors.New("wasmtime: the memory belongs to another engine")
	}
	store, own, memory := b.bind(m.h.engine)
	imports := []wasmtime.AsExtern{memory}
	inst, err := wasmtime.NewInstance(store, m.m, imports[:m.imports])
	if err != nil {
		if own {
			store.Close()
		}
		return nil, plain(err)
	}
	return &instance{store, own, inst}, nil
}

// binding is what instances need of a memory: the store to live in, whether it
// is theirs alone, and what to import.
type binding interface {
	bind(*wasmtime.Engine) (store *wasmtime.Store, own bool, memory wasmtime.AsExtern)
}
