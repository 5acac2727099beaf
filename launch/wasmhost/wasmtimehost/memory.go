//go:build cgo && ((linux && (amd64 || arm64)) || (darwin && (amd64 || arm64)) || (windows && amd64))

package wasmtimehost

// #include <stdlib.h>
// #include "shim.h"
import "C"

import (
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/bytecodealliance/wasmtime-go/v39"

	"github.com/simtc/simtc/launch/wasmhost"
	"github.com/simtc/simtc/targets/wasm-simd/wasm"
)

func (h *host) NewMemory(t wasmhost.MemoryType) (wasmhost.Memory, error) {
	if err := t.Check(); err != nil {
		return nil, err
	}
	if h.fixed && t.Maximum() > t.Min {
		return nil, fmt.Errorf("wasmtime: a memory of %d pages: %w", t.Maximum(), wasmhost.ErrNoRoom)
	}
	store := wasmtime.NewStore(h.engine)
	if !t.Shared {
		typ, err := wasmtime.NewMemoryType(t.Min, true, t.Maximum(), false)
		if err != nil {
			store.Close()
			return nil, plain(err)
		}
		m, err := wasmtime.NewMemory(store, typ)
		if err != nil {
			store.Close()
			return nil, plain(err)
		}
		return &ownMemory{store: store, mem: m, limit: t.Maximum()}, nil
	}
	// The Go package cannot create shared memory, but a module can export one.
	m, err := wasmtime.NewModule(h.engine, t.Exporter())
	if err != nil {
		store.Close()
		return nil, plain(err)
	}
	defer m.Close()
	inst, err := wasmtime.NewInstance(store, m, nil)
	if err != nil {
		store.Close()
		return nil, plain(err)
	}
	e := inst.GetExport(store, "memory")
	raw := e.AsExtern()
	ptr := C.simtc_shared_of(unsafe.Pointer(&raw))
	if ptr == nil {
		store.Close()
		return nil, errors.New("wasmtime: the exported memory is not shared")
	}
	return &sharedMemory{store: store, extern: e, ptr: ptr, limit: t.Maximum()}, nil
}

// ownMemory is an unshared memory. All its instances live in its store.
type ownMemory struct {
	store *wasmtime.Store
	mem   *wasmtime.Memory
	limit uint32
}

func (m *ownMemory) bind(*wasmtime.Engine) (*wasmtime.Store, bool, wasmtime.AsExtern) {
	return m.store, false, m.mem
}

func (m *ownMemory) Bytes() []byte { return m.mem.UnsafeData(m.store) }

func (m *ownMemory) Grow(pages uint32) error {
	now := m.mem.Size(m.store)
	if uint64(pages) <= now {
		return nil
	}
	if _, err := m.mem.Grow(m.store, uint64(pages)-now); err != nil {
		return cannotGrow(pages, m.limit)
	}
	return nil
}

func (m *ownMemory) StoreUint32(addr, value uint32) error { return storeUint32(m.Bytes(), addr, value) }

func (m *ownMemory) Close() error {
	m.store.Close()
	return nil
}

// sharedMemory is a memory for instances in any number of stores.
type sharedMemory struct {
	store  *wasmtime.Store // the store of its creation
	extern *wasmtime.Extern
	ptr    unsafe.Pointer // wasmtime_sharedmemory_t, owned by extern
	limit  uint32
	grow   sync.Mutex
}

func (m *sharedMemory) bind(e *wasmtime.Engine) (*wasmtime.Store, bool, wasmtime.AsExtern) {
	return wasmtime.NewStore(e), true, m.extern
}

func (m *sharedMemory) Bytes() []byte {
	pages := uint64(C.simtc_shared_pages(m.ptr))
	return unsafe.Slice((*byte)(C.simtc_shared_data(m.ptr)), pages*wasm.PageSize)
}

func (m *sharedMemory) Grow(pages uint32) error {
	m.grow.Lock()
	defer m.grow.Unlock()
	now := uint64(C.simtc_shared_pages(m.ptr))
	if uint64(pages) <= now {
		return nil
	}
	if err := C.simtc_shared_grow(m.ptr, C.uint64_t(uint64(pages)-now)); err != nil {
		C.free(unsafe.Pointer(C.simtc_take_error(err)))
		return cannotGrow(pages, m.limit)
	}
	return nil
}

func (m *sharedMemory) StoreUint32(addr, value uint32) error {
	return storeUint32(m.Bytes(), addr, value)
}

func (m *sharedMemory) Close() error {
	m.extern.Close()
	m.store.Close()
	return nil
}

func cannotGrow(pages, limit uint32) error {
	return fmt.Errorf("wasm memory cannot grow to %d pages, its maximum is %d", pages, limit)
}

func storeUint32(b []byte, addr, value uint32) error {
	if addr%4 != 0 || uint64(addr)+4 > uint64(len(b)) {
		return fmt.Errorf("wasm memory has no word at 0x%x", addr)
	}
	atomic.StoreUint32((*uint32)(unsafe.Pointer(&b[addr])), value)
	return nil
}
