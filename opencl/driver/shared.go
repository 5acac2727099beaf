//go:build cgo

package main

import (
	"unsafe"

	"github.com/simtc/simtc/opencl"
	"github.com/simtc/simtc/opencl/cl"
)

// The commands of cl_intel_unified_shared_memory.
const (
	commandMemfill   = 0x4204
	commandMemcpy    = 0x4205
	commandMigrate   = 0x4206
	commandMemAdvise = 0x4207
)

// sharedCalls are the functions of shared virtual memory.
var sharedCalls = map[string]any{
	"clSVMAlloc": func(a args) uintptr {
		c, err := contextOf(a[0])
		if err != nil {
			return 0
		}
		p, err := c.Alloc(0, nil, a[1], a.size(2), a.num(3))
		if err != nil {
			return 0
		}
		return uintptr(p)
	},
	"clSVMFree": func(a args) {
		if c, err := contextOf(a[0]); err == nil {
			_ = c.Free(a.ptr(1)) // nothing reports an error
		}
	},
	"clEnqueueSVMFree": func(a args) error {
		q, wait, err := a.queue(5)
		if err != nil {
			return err
		}
		n := a.num(1)
		if (n == 0) != (a[2] == 0) {
			return wrong(cl.INVALID_VALUE, "%d pointers", n)
		}
		list := make([]unsafe.Pointer, n, n+1)
		for i, w := range words(a.ptr(2), n) {
			list[i] = pointer(w)
		}
		var call func()
		if f, data := a.callback(3); f != 0 {
			h := a[0]
			call = func() { invoke(f, h, uint64(n), uint64(uintptr(unsafe.Pointer(unsafe.SliceData(list)))), data) }
		}
		e, err := q.SVMFree(list, call, wait)
		return a.event(7, e, err)
	},
	"clEnqueueSVMMemcpy":    memcpy(cl.COMMAND_SVM_MEMCPY),
	"clEnqueueMemcpyINTEL":  memcpy(commandMemcpy),
	"clEnqueueSVMMemFill":   memfill(cl.COMMAND_SVM_MEMFILL),
	"clEnqueueMemFillINTEL": memfill(commandMemfill),
	"clEnqueueSVMMap": func(a args) error {
		q, wait, err := a.queue(5)
		if err != nil {
			return err
		}
		e, err := q.SVMMap(a.flag(1), a[2], a.ptr(3), a.size(4), wait)
		return a.event(7, e, err)
	},
	"clEnqueueSVMUnmap": func(a args) error {
		q, wait, err := a.queue(2)
		if err != nil {
			return err
		}
		e, err := q.SVMUnmap(a.ptr(1), wait)
		return a.event(4, e, err)
	},
	"clEnqueueSVMMigrateMem": func(a args) error {
		q, wait, err := a.queue(5)
		if err != nil {
			return err
		}
		if a.num(1) == 0 || a[2] == 0 || a[4]&^(cl.MIGRATE_MEM_OBJECT_HOST|cl.MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED) != 0 {
			return wrong(cl.INVALID_VALUE, "migration of %d pointers with flags %#x", a.num(1), a[4])
		}
		e, err := q.SVMMigrate(cl.COMMAND_SVM_MIGRATE_MEM, wait)
		return a.event(7, e, err)
	},
	"clEnqueueMigrateMemINTEL": hint(commandMigrate),
	"clEnqueueMemAdviseINTEL":  hint(commandMemAdvise),
	"clHostMemAllocINTEL": func(a args) (uintptr, error) {
		return alloc(a, opencl.MemHost, nil, 1)
	},
	"clDeviceMemAllocINTEL": func(a args) (uintptr, error) {
		d, err := deviceOf(a[1])
		if err != nil {
			return 0, err
		}
		return alloc(a, opencl.MemDevice, d, 2)
	},
	"clSharedMemAllocINTEL": func(a args) (uintptr, error) {
		var d *opencl.Device
		if a[1] != 0 {
			var err error
			if d, err = deviceOf(a[1]); err != nil {
				return 0, err
			}
		}
		return alloc(a, opencl.MemShared, d, 2)
	},
	"clMemFreeINTEL":         func(a args) error { return free(a, false) },
	"clMemBlockingFreeINTEL": func(a args) error { return free(a, true) },
	"clGetMemAllocInfoINTEL": func(a args) error {
		c, err := contextOf(a[0])
		if err != nil {
			return err
		}
		v, err := c.AllocInfo(a.ptr(1), a.num(2))
		return a.answer(3, v, err)
	},
}

// queue returns the queue and the wait list from parameter i.
func (a args) queue(i int) (q *opencl.Queue, wait []*opencl.Event, err error) {
	if q, err = queueOf(a[0]); err == nil {
		wait, err = a.waits(i)
	}
	return q, wait, err
}

func memcpy(kind int) func(a args) error {
	return func(a args) error {
		q, wait, err := a.queue(5)
		if err != nil {
			return err
		}
		e, err := q.Memcpy(kind, a.flag(1), a.ptr(2), a.ptr(3), a.size(4), wait)
		return a.event(7, e, err)
	}
}

func memfill(kind int) func(a args) error {
	return func(a args) error {
		q, wait, err := a.queue(5)
		if err != nil {
			return err
		}
		pattern, err := a.pattern(2)
		if err != nil {
			return err
		}
		e, err := q.Memfill(kind, a.ptr(1), pattern, a.size(4), wait)
		return a.event(7, e, err)
	}
}

// hint returns the handler of a command that does nothing here.
func hint(kind int) func(a args) error {
	return func(a args) error {
		q, wait, err := a.queue(4)
		if err != nil {
			return err
		}
		if a[1] == 0 {
			return wrong(cl.INVALID_VALUE, "a null pointer")
		}
		e, err := q.SVMMigrate(kind, wait)
		return a.event(6, e, err)
	}
}

// alloc allocates memory of a kind; the properties are parameter i, then the size and the
// alignment.
func alloc(a args, kind int, d *opencl.Device, i int) (uintptr, error) {
	c, err := contextOf(a[0])
	if err != nil {
		return 0, err
	}
	flags := uint64(0)
	list := pairs(a.ptr(i))
	for k := 0; k+1 < len(list); k += 2 {
		if list[k] != 0x4195 { // CL_MEM_ALLOC_FLAGS_INTEL
			return 0, wrong(cl.INVALID_PROPERTY, "unknown property %#x", list[k])
		}
		flags = list[k+1]
	}
	p, err := c.Alloc(kind, d, flags, a.size(i+1), a.num(i+2))
	return uintptr(p), err
}

func free(a args, blocking bool) error {
	c, err := contextOf(a[0])
	if err != nil {
		return err
	}
	if blocking {
		c.FinishAll()
	}
	return c.Free(a.ptr(1))
}
