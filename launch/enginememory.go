package launch

import (
	"errors"
	"fmt"
	"slices"
	"sync"
	"unsafe"

	"github.com/simtc/simtc/internal/hugepages"
	"github.com/simtc/simtc/launch/wasmhost"
	wasmsimd "github.com/simtc/simtc/targets/wasm-simd"
	"github.com/simtc/simtc/targets/wasm-simd/wasm"
)

// EngineMemory is memory of a WebAssembly engine in which buffers may live: launches work
// on those in place, as native code does on any memory, and copy the others. Its methods
// may be called from several goroutines.
type EngineMemory struct {
	host   wasmhost.Host
	shared bool // as the memories that the modules import

	// running is held while code runs over an unshared memory, which has room for no other
	// instance meanwhile, and must not grow.
	running sync.Mutex

	mu   sync.Mutex
	mem  wasmhost.Memory // nil: nothing has been asked for
	heap heap
	lent map[uint64]bool // where what Alloc returned begins
	logs []uint64        // zeroed parts for what launches print, of one size, that no launch uses
}

// lending are the memories of which Alloc has returned parts that Free did not get back. The
// garbage collector, which does not see slices of them, must not take them for out of use.
var lending sync.Map // of wasmhost.Memory

// NewEngineMemory returns memory for programs whose modules import a memory that is shared,
// or not. It takes none until some is asked for.
func NewEngineMemory(host wasmhost.Host, shared bool) *EngineMemory {
	return &EngineMemory{host: host, shared: shared, heap: heap{top: wasmsimd.Reserved}}
}

// Alloc returns n zeroed bytes, at a multiple of 64, that are good until Close. Where the
// address space has no room for an engine's memory that grows, they are ordinary memory,
// which launches copy.
func (m *EngineMemory) Alloc(n int) ([]byte, error) {
	defer m.hold()()
	at, err := m.take(uint64(n))
	if errors.Is(err, wasmhost.ErrNoRoom) {
		return hugepages.Make(n)
	}
	if err != nil {
		return nil, err
	}
	m.lend(at)
	b := m.mem.Bytes()[at:][:n:n]
	clear(b)
	return b, nil
}

// Free gives back what Alloc returned.
func (m *EngineMemory) Free(b []byte) {
	if at, ok := m.address(b); ok {
		m.give(at)
	}
}

func (m *EngineMemory) lend(at uint64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.lent == nil {
		m.lent = map[uint64]bool{}
	}
	m.lent[at] = true
	lending.Store(m.mem, true)
}

// Close frees all of it. No launch may be under way, and nothing that Alloc returned may
// be used afterwards.
func (m *EngineMemory) Close() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.mem == nil {
		return nil
	}
	mem := m.mem
	lending.Delete(mem)
	m.mem, m.lent, m.logs, m.heap = nil, nil, nil, heap{top: wasmsimd.Reserved}
	return mem.Close()
}

// hold keeps other code from running over an unshared memory until what it returns is
// called.
func (m *EngineMemory) hold() (release func()) {
	if m.shared {
		return func() {}
	}
	m.running.Lock()
	return m.running.Unlock
}

// take reserves n bytes and returns their address.
func (m *EngineMemory) take(n uint64) (uint64, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	at := m.heap.take(n)
	pages := (m.heap.top + wasmsimd.Reserved + wasm.PageSize - 1) / wasm.PageSize
	err := error(nil)
	switch {
	case pages > wasm.MaxPages:
		err = fmt.Errorf("buffers of %d bytes in all; WebAssembly has 4 GiB", m.heap.top)
	case m.mem == nil:
		m.mem, err = newMemory(m.host, uint32(pages), wasm.MaxPages, m.shared)
	default:
		err = m.mem.Grow(uint32(pages))
	}
	if err != nil {
		m.heap.give(at)
		return 0, err
	}
	hugepages.Advise(m.mem.Bytes()) // all of it: the last page may have become large enough
	return at, nil
}

// takeLog reserves n zeroed bytes for what a launch prints, the same number in all calls.
func (m *EngineMemory) takeLog(n uint64) (uint64, error) {
	m.mu.Lock()
	if last := len(m.logs) - 1; last >= 0 {
		at := m.logs[last]
		m.logs = m.logs[:last]
		m.mu.Unlock()
		return at, nil
	}
	m.mu.Unlock()
	at, err := m.take(n)
	if err == nil {
		clear(m.mem.Bytes()[at:][:n])
	}
	return at, err
}

// giveLog takes back what takeLog returned, zeroed again.
func (m *EngineMemory) giveLog(at uint64) {
	m.mu.Lock()
	if len(m.logs) < maxFreeLogs {
		m.logs = append(m.logs, at)
		m.mu.Unlock()
		return
	}
	m.mu.Unlock()
	m.give(at)
}

func (m *EngineMemory) give(at uint64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.heap.give(at)
	if delete(m.lent, at); len(m.lent) == 0 && m.mem != nil {
		lending.Delete(m.mem)
	}
}

// address tells where in the memory b lies, if it does. A nil memory has nothing in it.
func (m *EngineMemory) address(b []byte) (at uint64, ok bool) {
	if m == nil || len(b) == 0 {
		return 0, false
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.mem == nil {
		return 0, false
	}
	all := m.mem.Bytes()
	from, to := uintptr(unsafe.Pointer(unsafe.SliceData(all))), uintptr(unsafe.Pointer(unsafe.SliceData(b)))
	if to < from || to-from+uintptr(len(b)) > uintptr(len(all)) {
		return 0, false
	}
	return uint64(to - from), true
}

// heap hands out stretches of addresses at multiples of 64, the first that is free and
// large enough. Large ones are not next to each other: see hugepages.Gap.
type heap struct {
	free []span // by address; none touches the next
	used map[uint64]uint64
	top  uint64 // nothing has been taken from here on
}

type span struct{ at, size uint64 }

func (h *heap) take(n uint64) uint64 {
	n = (max(n, 1)+63)&^63 + hugepages.Gap(n)
	if h.used == nil {
		h.used = map[uint64]uint64{}
	}
	at := h.top
	if i := slices.IndexFunc(h.free, func(s span) bool { return s.size >= n }); i >= 0 {
		s := &h.free[i]
		at = s.at
		s.at, s.size = s.at+n, s.size-n
		if s.size == 0 {
			h.free = slices.Delete(h.free, i, i+1)
		}
	} else {
		h.top += n
	}
	h.used[at] = n
	return at
}

// give takes back what begins at at; what was never taken is left alone.
func (h *heap) give(at uint64) {
	n, ok := h.used[at]
	if !ok {
		return
	}
	delete(h.used, at)
	i := slices.IndexFunc(h.free, func(s span) bool { return s.at > at })
	if i < 0 {
		i = len(h.free)
	}
	h.free = slices.Insert(h.free, i, span{at, n})
	if i+1 < len(h.free) && at+n == h.free[i+1].at {
		h.free[i].size += h.free[i+1].size
		h.free = slices.Delete(h.free, i+1, i+2)
	}
	if i > 0 && h.free[i-1].at+h.free[i-1].size == at {
		h.free[i-1].size += h.free[i].size
		h.free = slices.Delete(h.free, i, i+1)
		i--
	}
	if last := h.free[i]; i == len(h.free)-1 && last.at+last.size == h.top {
		h.top = last.at
		h.free = h.free[:i]
	}
}
