//go:build cgo

package main

import (
	"sync"
	"unsafe"

	"github.com/simtc/simtc/opencl"
	"github.com/simtc/simtc/opencl/cl"
)

// handles are the live objects of the API. A handle is the address of a slot whose first word is
// that of the dispatch table, which the loader reads. Slots are never freed, and used again only
// after many others, so that the handle of a released object remains readable and is an error.
var handles = table{live: map[uintptr]opencl.Object{}}

type table struct {
	dispatch uintptr
	mu       sync.RWMutex
	live     map[uintptr]opencl.Object
	slots    [][]slot  // all memory of handles
	free     []uintptr // released slots, the oldest first
	fresh    []slot    // unused slots
}

// slot is the memory of a handle.
type slot [2]uintptr

const (
	slotsAtOnce = 1024
	// quarantine is the number of released slots that are not used again.
	quarantine = 1 << 16
)

// add gives an object a handle.
func (t *table) add(o opencl.Object) uintptr {
	t.mu.Lock()
	defer t.mu.Unlock()
	var h uintptr
	if len(t.free) > quarantine {
		h, t.free = t.free[0], t.free[1:]
	} else {
		if len(t.fresh) == 0 {
			t.fresh = make([]slot, slotsAtOnce)
			t.slots = append(t.slots, t.fresh)
			for i := range t.fresh {
				t.fresh[i][0] = t.dispatch
			}
		}
		h = uintptr(unsafe.Pointer(&t.fresh[0]))
		t.fresh = t.fresh[1:]
	}
	opencl.SetHandle(o, h)
	t.live[h] = o
	return h
}

// find returns the object of a handle, or nil.
func (t *table) find(h uintptr) opencl.Object {
	t.mu.RLock()
	defer t.mu.RUnlock()
	return t.live[h]
}

// release ends a reference of the application.
func (t *table) release(o opencl.Object) {
	h := opencl.Handle(o)
	if opencl.Release(o) > 0 {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.live[h] == o {
		delete(t.live, h)
		t.free = append(t.free, h)
	}
}

// get returns the object of a handle and type, or an error with the code.
func get[T opencl.Object](h uint64, code int) (T, error) {
	o, ok := handles.find(uintptr(h)).(T)
	if !ok {
		return o, wrong(code, "invalid handle %#x", h)
	}
	return o, nil
}

// all returns the objects of n handles at p.
func all[T opencl.Object](n int, p unsafe.Pointer, code int) ([]T, error) {
	var out []T
	for _, h := range words(p, n) {
		o, err := get[T](h, code)
		if err != nil {
			return nil, err
		}
		out = append(out, o)
	}
	return out, nil
}

func deviceOf(h uint64) (*opencl.Device, error) { return get[*opencl.Device](h, cl.INVALID_DEVICE) }
func contextOf(h uint64) (*opencl.Context, error) {
	return get[*opencl.Context](h, cl.INVALID_CONTEXT)
}
func queueOf(h uint64) (*opencl.Queue, error) { return get[*opencl.Queue](h, cl.INVALID_COMMAND_QUEUE) }
func memOf(h uint64) (*opencl.Mem, error)     { return get[*opencl.Mem](h, cl.INVALID_MEM_OBJECT) }
func samplerOf(h uint64) (*opencl.Sampler, error) {
	return get[*opencl.Sampler](h, cl.INVALID_SAMPLER)
}
func programOf(h uint64) (*opencl.Program, error) {
	return get[*opencl.Program](h, cl.INVALID_PROGRAM)
}
func kernelOf(h uint64) (*opencl.Kernel, error) { return get[*opencl.Kernel](h, cl.INVALID_KERNEL) }
func eventOf(h uint64) (*opencl.Event, error)   { return get[*opencl.Event](h, cl.INVALID_EVENT) }
