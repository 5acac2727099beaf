//go:build cgo && ((linux && (amd64 || arm64)) || (darwin && (amd64 || arm64)) || (windows && amd64))

package wasmtimehost

// #include "shim.h"
import "C"

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"unsafe"

	"github.com/bytecodealliance/wasmtime-go/v39"

	"github.com/simtc/simtc/launch/wasmhost"
	"github.com/simtc/simtc/targets/wasm-simd/wasm"
)

type host struct {
	engine     *wasmtime.Engine
	fixed      bool                    // memories do not grow: see newEngine
	optimizing func() *wasmtime.Engine // only compiles: memories and instances belong to one engine
}

// New returns the host. All hosts of a process share one engine.
var New = sync.OnceValue(func() wasmhost.Host {
	return newHost(!canReserve(plenty))
})

func newHost(fixed bool) *host {
	return &host{
		engine: newEngine(wasmtime.OptLevelNone, fixed), fixed: fixed,
		optimizing: sync.OnceValue(func() *wasmtime.Engine { return newEngine(wasmtime.OptLevelSpeed, fixed) }),
	}
}

// plenty is the free address space in bytes that is required for memories that reserve
// 4 GiB and guard pages each: enough for several at once.
const plenty = 32 << 30

// newEngine returns an engine whose memories reserve WebAssembly's whole address space, so
// that code needs no bounds checks; fixed memories reserve their maximum.
func newEngine(level wasmtime.OptLevel, fixed bool) *wasmtime.Engine {
	config := wasmtime.NewConfig()
	config.SetWasmSIMD(true)
	config.SetWasmRelaxedSIMD(true)
	config.SetWasmThreads(true)
	config.SetCraneliftOptLevel(level)
	config.SetParallelCompilation(false) // most modules have one function: threads cost more than they save
	if fixed {
		// The Go package lacks these options. A Config is a pointer to the C API's.
		C.simtc_fixed_memories(*(*unsafe.Pointer)(unsafe.Pointer(config)))
	}
	return wasmtime.NewEngineWithConfig(config)
}

func (h *host) Name() string            { return "wasmtime" }
func (h *host) Features() wasm.Features { return wasm.RelaxedSIMD | wasm.Threads }

// Yields is false: a call is a cgo call, for which the garbage collector does not wait.
func (h *host) Yields() bool { return false }

func (h *host) Compile(code []byte) (wasmhost.Module, error) {
	m, err := wasmtime.NewModule(h.engine, code)
	if err != nil {
		return nil, plain(err)
	}
	return h.module(m)
}

// Optimize compiles with another engine and loads the result into the one that runs it.
// Code of engines that differ only in optimization is compatible.
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

// module checks the imports of m.
func (h *host) module(m *wasmtime.Module) (wasmhost.Module, error) {
	for _, i := range m.Imports() {
		if i.Module() != "env" || i.Name() == nil || *i.Name() != "memory" {
			m.Close()
			return nil, fmt.Errorf("wasmtime: unknown import %s", i.Module())
		}
	}
	return &module{h, m, len(m.Imports())}, nil
}

// plain removes the lines that wasmtime appends to the cause in its messages.
func plain(err error) error {
	text, _, _ := strings.Cut(err.Error(), "\n\nStack backtrace")
	lines := strings.Fields(strings.ReplaceAll(text, "Caused by:", ":"))
	err = errors.New("wasmtime: " + strings.Join(lines, " "))
	if strings.Contains(text, "Code for function is too large") { // CodegenError::CodeTooLarge of Cranelift
		return fmt.Errorf("%w: %w", err, wasmhost.ErrTooLarge)
	}
	return err
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

// binding is the requirement of instances from a memory: their store, whether they own it,
// and their imports.
type binding interface {
	bind(*wasmtime.Engine) (store *wasmtime.Store, own bool, memory wasmtime.AsExtern)
}
