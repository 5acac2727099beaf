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

// EngineMemory is memory of a WebAssembly engine in which buffers may live. Launches
// access such buffers in place and copy others. Its methods are safe for concurrent use.
type EngineMemory struct {
	host   wasmhost.Host
	shared bool // as in the modules' import

	// running is held while code runs over an unshared memory. Only one instance may use
	// such a memory at a time, and it must not grow meanwhile.
	running sync.Mutex

	mu   sync.Mutex
	mem  wasmhost.Memory // nil: nothing was allocated yet
	heap heap
	lent map[uint64]bool // addresses of the live results of Alloc
	logs []uint64        // addresses of unused, zeroed printf buffers, all of one size
}

// lending holds the memories with live results of Alloc. It keeps them reachable: the
// garbage collector does not trace slices of an engine's memory.
var lending sync.Map // of wasmhost.Memory

// NewEngineMemory returns memory for programs whose modules import a memory with the given
// sharedness. The engine's memory is created by the first allocation.
func NewEngineMemory(host wasmhost.Host, shared bool) *EngineMemory {
	return &EngineMemory{host: host, shared: shared, heap: heap{top: wasmsimd.Reserved}}
}

// Alloc returns n zeroed bytes, aligned to 64 and valid until Close. If the address space
// has no room for a memory that can grow, they are ordinary memory, which launches copy.
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

// Free releases a result of Alloc.
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

// Close frees all memory. requires: no launch is running, and no result of Alloc is used
// afterwards.
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

// hold excludes other code from an unshared memory until release is called.
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
		err = fmt.Errorf("buffers of %d bytes in total exceed WebAssembly's 4 GiB", m.heap.top)
	case m.mem == nil:
		m.mem, err = newMemory(m.host, uint32(pages), wasm.MaxPages, m.shared)
	default:
		err = m.mem.Grow(uint32(pages))
	}
	if err != nil {
		m.heap.give(at)
		return 0, err
	}
	hugepages.Advise(m.mem.Bytes()) // the whole memory: its last huge page may have become complete
	return at, nil
}

// takeLog reserves n zeroed bytes for a printf buffer. All calls pass the same n.
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

// giveLog releases a result of takeLog. requires: it is zeroed again.
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

// address returns the address of b within the memory, if b lies in it. m may be nil.
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

// heap allocates ranges of addresses, aligned to 64, first fit. Large ranges are
// separated by a gap: see hugepages.Gap.
type heap struct {
	free []span // sorted by address, coalesced
	used map[uint64]uint64
	top  uint64 // end of the highest allocation
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

// give frees the range that begins at at. Unknown addresses are ignored.
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
