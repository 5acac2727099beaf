package opencl

import (
	"slices"
	"sync"
	"unsafe"

	"github.com/simtc/simtc"
	"github.com/simtc/simtc/opencl/cl"
)

// allocations are the blocks of shared virtual memory of a context by address.
type allocations struct {
	mu     sync.Mutex
	blocks []block
}

type block struct {
	data   []byte
	kind   int // of cl_intel_unified_shared_memory; 0: of clSVMAlloc
	device *Device
	flags  uint64
	free   func()
}

// Kinds of memory of cl_intel_unified_shared_memory.
const (
	MemHost    = 0x4197
	MemDevice  = 0x4198
	MemShared  = 0x4199
	memUnknown = 0x4196
)

func (b *block) base() uintptr { return uintptr(unsafe.Pointer(unsafe.SliceData(b.data))) }

// search returns the index of the block that has address p.
func (a *allocations) search(p uintptr) (int, bool) {
	i, found := slices.BinarySearchFunc(a.blocks, p, func(b block, p uintptr) int {
		switch at := b.base(); {
		case at > p:
			return 1
		case at+uintptr(len(b.data)) <= p:
			return -1
		}
		return 0
	})
	return i, found
}

// find returns the block that has address p, and the bytes from p to its end.
func (a *allocations) find(p unsafe.Pointer) (block, []byte, bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	i, found := a.search(uintptr(p))
	if !found {
		return block{}, nil, false
	}
	b := a.blocks[i]
	return b, b.data[uintptr(p)-b.base():], true
}

func (a *allocations) add(b block) {
	a.mu.Lock()
	defer a.mu.Unlock()
	i, _ := a.search(b.base())
	a.blocks = slices.Insert(a.blocks, i, b)
}

// remove removes the block that begins at p.
func (a *allocations) remove(p unsafe.Pointer) (block, bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	i, found := a.search(uintptr(p))
	if !found || a.blocks[i].base() != uintptr(p) {
		return block{}, false
	}
	b := a.blocks[i]
	a.blocks = slices.Delete(a.blocks, i, i+1)
	return b, true
}

func (a *allocations) freeAll() {
	for _, b := range a.blocks {
		b.free()
	}
	a.blocks = nil
}

// Alloc returns shared virtual memory; kind is 0 or one of MemHost, MemDevice and MemShared, for
// which d may be a device.
func (c *Context) Alloc(kind int, d *Device, flags uint64, size, align int) (unsafe.Pointer, error) {
	if !c.devices[0].shared {
		return nil, fail(cl.INVALID_OPERATION, "the device has no shared virtual memory")
	}
	const known = accessFlags | cl.MEM_SVM_FINE_GRAIN_BUFFER | cl.MEM_SVM_ATOMICS
	if kind == 0 && (flags&^known != 0 || several(flags, accessFlags) || flags&cl.MEM_SVM_ATOMICS != 0 && flags&cl.MEM_SVM_FINE_GRAIN_BUFFER == 0) {
		return nil, fail(cl.INVALID_VALUE, "invalid memory flags %#x", flags)
	}
	if align == 0 {
		align = baseAlign
	}
	if align < 0 || align&(align-1) != 0 || align > 1<<20 || kind == 0 && align > baseAlign {
		return nil, fail(cl.INVALID_VALUE, "an alignment of %d bytes", align)
	}
	if size <= 0 || size > simtc.MaxBuffer {
		return nil, fail(cl.INVALID_BUFFER_SIZE, "memory of %d bytes", size)
	}
	if d != nil {
		if err := c.has(d); err != nil {
			return nil, err
		}
	}
	if err := c.devices[0].reserve(size); err != nil {
		return nil, fail(cl.OUT_OF_HOST_MEMORY, "%v", err)
	}
	data, free, err := allocate(size, align)
	if err != nil {
		_ = c.devices[0].reserve(-size)
		return nil, fail(cl.OUT_OF_HOST_MEMORY, "%v", err)
	}
	c.svm.add(block{data: data, kind: kind, device: d, flags: flags, free: func() {
		_ = c.devices[0].reserve(-size)
		free()
	}})
	return unsafe.Pointer(&data[0]), nil
}

// Free frees memory from Alloc; a null pointer is ignored.
func (c *Context) Free(p unsafe.Pointer) error {
	if p == nil {
		return nil
	}
	b, ok := c.svm.remove(p)
	if !ok {
		return fail(cl.INVALID_VALUE, "not the address of an allocation")
	}
	b.free()
	return nil
}

// FinishAll waits for all commands of the context.
func (c *Context) FinishAll() {
	c.mu.Lock()
	var all []*Queue
	for q := range c.queues {
		all = append(all, q)
	}
	c.mu.Unlock()
	for _, q := range all {
		if err := q.Finish(); err != nil {
			c.report("%v", err)
		}
	}
}

// AllocInfo answers a query of clGetMemAllocInfoINTEL.
func (c *Context) AllocInfo(p unsafe.Pointer, name int) (any, error) {
	b, _, known := c.svm.find(p)
	switch name {
	case 0x419A: // CL_MEM_ALLOC_TYPE_INTEL
		if !known || b.kind == 0 {
			return uint32(memUnknown), nil
		}
		return uint32(b.kind), nil
	case 0x419B: // CL_MEM_ALLOC_BASE_PTR_INTEL
		return b.base(), nil
	case 0x419C: // CL_MEM_ALLOC_SIZE_INTEL
		return len(b.data), nil
	case 0x419D: // CL_MEM_ALLOC_DEVICE_INTEL
		return b.device, nil
	case 0x4195: // CL_MEM_ALLOC_FLAGS_INTEL
		return b.flags, nil
	}
	return nil, badName(name)
}

// pointer returns the memory at an address for a kernel: to the end of the allocation, or for
// other memory of the process as much as possible.
func (c *Context) pointer(p unsafe.Pointer) []byte {
	if p == nil {
		return nil
	}
	if _, data, ok := c.svm.find(p); ok {
		return data
	}
	return unbounded(p)
}

func pointerOf(b []byte) unsafe.Pointer { return unsafe.Pointer(unsafe.SliceData(b)) }

// unbounded returns as many bytes at p as a buffer may have. Not all of them need to be memory.
//
//go:nocheckptr
func unbounded(p unsafe.Pointer) []byte { return unsafe.Slice((*byte)(p), simtc.MaxBuffer) }

// svmCommand enqueues a command on shared virtual memory.
func (q *Queue) svmCommand(kind int, blocking bool, wait []*Event, run func() error) (*Event, error) {
	if !q.device.shared {
		return nil, fail(cl.INVALID_OPERATION, "the device has no shared virtual memory")
	}
	return q.enqueue(command{kind: kind, blocking: blocking, wait: wait, run: run})
}

// Memcpy copies between addresses.
func (q *Queue) Memcpy(kind int, blocking bool, to, from unsafe.Pointer, size int, wait []*Event) (*Event, error) {
	if size < 0 || (to == nil || from == nil) && size > 0 {
		return nil, fail(cl.INVALID_VALUE, "a copy of %d bytes, or a null pointer", size)
	}
	if overlap(memory(to, size), memory(from, size)) {
		return nil, fail(cl.MEM_COPY_OVERLAP, "the regions overlap")
	}
	return q.svmCommand(kind, blocking, wait, func() error {
		copy(memory(to, size), memory(from, size))
		return nil
	})
}

// Memfill repeats a pattern at an address.
func (q *Queue) Memfill(kind int, to unsafe.Pointer, pattern []byte, size int, wait []*Event) (*Event, error) {
	n := len(pattern)
	if n == 0 || n > 128 || n&(n-1) != 0 || size < 0 || size%n != 0 || to == nil || uintptr(to)%uintptr(n) != 0 {
		return nil, fail(cl.INVALID_VALUE, "a pattern of %d bytes for %d at %#x", n, size, uintptr(to))
	}
	pattern = slices.Clone(pattern)
	return q.svmCommand(kind, false, wait, func() error {
		fill(memory(to, size), pattern)
		return nil
	})
}

// SVMMap and SVMUnmap order accesses of the host; the memory is the same.
func (q *Queue) SVMMap(blocking bool, flags uint64, p unsafe.Pointer, size int, wait []*Event) (*Event, error) {
	if p == nil || size <= 0 || flags&^(cl.MAP_READ|cl.MAP_WRITE|cl.MAP_WRITE_INVALIDATE_REGION) != 0 {
		return nil, fail(cl.INVALID_VALUE, "a mapping of %d bytes with flags %#x", size, flags)
	}
	return q.svmCommand(cl.COMMAND_SVM_MAP, blocking, wait, nil)
}

// SVMUnmap ends a mapping.
func (q *Queue) SVMUnmap(p unsafe.Pointer, wait []*Event) (*Event, error) {
	if p == nil {
		return nil, fail(cl.INVALID_VALUE, "a null pointer")
	}
	return q.svmCommand(cl.COMMAND_SVM_UNMAP, false, wait, nil)
}

// SVMMigrate does nothing, as do other hints.
func (q *Queue) SVMMigrate(kind int, wait []*Event) (*Event, error) {
	return q.svmCommand(kind, false, wait, nil)
}

// SVMFree frees memory once the commands before are done, by call if it is not nil.
func (q *Queue) SVMFree(pointers []unsafe.Pointer, call func(), wait []*Event) (*Event, error) {
	pointers = slices.Clone(pointers)
	return q.svmCommand(cl.COMMAND_SVM_FREE, false, wait, func() error {
		if call != nil {
			call()
			return nil
		}
		for _, p := range pointers {
			_ = q.ctx.Free(p) // other memory is ignored
		}
		return nil
	})
}
