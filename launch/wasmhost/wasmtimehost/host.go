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

type host struct{ engine *wasmtime.Engine }

// New gives the host. All hosts of a process share one engine.
var New = sync.OnceValue(func() wasmhost.Host {
	config := wasmtime.NewConfig()
	config.SetWasmSIMD(true)
	config.SetWasmRelaxedSIMD(true)
	config.SetWasmThreads(true)
	// The code comes optimized. Optimizing it again takes longer and makes most
	// of it slower, up to six times: operations move to where they are first
	// used, some of them to several places, and more values live at once.
	config.SetCraneliftOptLevel(wasmtime.OptLevelNone)
	return &host{wasmtime.NewEngineWithConfig(config)}
})

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
