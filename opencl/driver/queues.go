//go:build cgo

package main

import (
	"encoding/binary"
	"runtime"
	"unsafe"

	"github.com/simtc/simtc/opencl"
	"github.com/simtc/simtc/opencl/cl"
)

// queueCalls are the functions of queues, events and launches.
var queueCalls = map[string]any{
	"clCreateCommandQueue": func(a args) (uintptr, error) {
		c, err := contextOf(a[0])
		if err != nil {
			return 0, err
		}
		d, err := deviceOf(a[1])
		if err != nil {
			return 0, err
		}
		return object(c.NewQueue(d, a[2], nil))
	},
	"clCreateCommandQueueWithProperties":    createQueue,
	"clCreateCommandQueueWithPropertiesKHR": createQueue,
	"clSetCommandQueueProperty": func(a args) error {
		if _, err := queueOf(a[0]); err != nil {
			return err
		}
		return wrong(cl.INVALID_OPERATION, "the properties of a queue are fixed")
	},
	"clRetainCommandQueue": retainQueue,
	"clReleaseCommandQueue": func(a args) error {
		q, err := queueOf(a[0])
		if err == nil {
			q.Flush()
			handles.release(q)
		}
		return err
	},
	"clGetCommandQueueInfo": query(queueOf, (*opencl.Queue).Info),
	"clFlush": func(a args) error {
		q, err := queueOf(a[0])
		if err == nil {
			q.Flush()
		}
		return err
	},
	"clFinish": func(a args) error {
		q, err := queueOf(a[0])
		if err != nil {
			return err
		}
		return q.Finish()
	},
	"clWaitForEvents": func(a args) error {
		if a.num(0) == 0 || a[1] == 0 {
			return wrong(cl.INVALID_VALUE, "no events")
		}
		events, err := all[*opencl.Event](a.num(0), a.ptr(1), cl.INVALID_EVENT)
		if err != nil {
			return err
		}
		return opencl.WaitFor(events)
	},
	"clGetEventInfo":          query(eventOf, (*opencl.Event).Info),
	"clGetEventProfilingInfo": query(eventOf, (*opencl.Event).Profile),
	"clRetainEvent":           retainEvent,
	"clReleaseEvent":          releaseEvent,
	"clCreateUserEvent": func(a args) (uintptr, error) {
		c, err := contextOf(a[0])
		if err != nil {
			return 0, err
		}
		return object(c.NewUserEvent(), nil)
	},
	"clSetUserEventStatus": func(a args) error {
		e, err := eventOf(a[0])
		if err != nil {
			return err
		}
		return e.SetStatus(a.signed(1))
	},
	"clSetEventCallback": func(a args) error {
		e, err := eventOf(a[0])
		if err != nil {
			return err
		}
		f, data := a.callback(2)
		if f == 0 {
			return wrong(cl.INVALID_VALUE, "no callback")
		}
		h := a[0]
		return e.OnStatus(a.signed(1), func(status int) { invoke(f, h, uint64(status), data) })
	},

	"clEnqueueNDRangeKernel": func(a args) error {
		return launch(a, cl.COMMAND_NDRANGE_KERNEL, a.num(2), 3, 6)
	},
	"clEnqueueTask": func(a args) error {
		return launch(a, cl.COMMAND_TASK, 1, -1, 2)
	},
	"clEnqueueNativeKernel": enqueueNative,
	"clEnqueueMarker": func(a args) error {
		q, err := queueOf(a[0])
		if err != nil {
			return err
		}
		if a[1] == 0 {
			return wrong(cl.INVALID_VALUE, "no event")
		}
		e, err := q.Marker(false, nil)
		return a.event(1, e, err)
	},
	"clEnqueueBarrier": func(a args) error {
		q, err := queueOf(a[0])
		if err != nil {
			return err
		}
		e, err := q.Marker(true, nil)
		if err == nil {
			opencl.Release(e)
		}
		return err
	},
	"clEnqueueWaitForEvents": func(a args) error {
		q, err := queueOf(a[0])
		if err != nil {
			return err
		}
		if a.num(1) == 0 || a[2] == 0 {
			return wrong(cl.INVALID_VALUE, "no events")
		}
		events, err := all[*opencl.Event](a.num(1), a.ptr(2), cl.INVALID_EVENT)
		if err != nil {
			return err
		}
		e, err := q.Marker(true, events)
		if err == nil {
			opencl.Release(e)
		}
		return err
	},
	"clEnqueueMarkerWithWaitList":  enqueueMarker(false),
	"clEnqueueBarrierWithWaitList": enqueueMarker(true),
}

func createQueue(a args) (uintptr, error) {
	c, err := contextOf(a[0])
	if err != nil {
		return 0, err
	}
	d, err := deviceOf(a[1])
	if err != nil {
		return 0, err
	}
	bits := uint64(0)
	list := pairs(a.ptr(2))
	for i := 0; i+1 < len(list); i += 2 {
		switch list[i] {
		case cl.QUEUE_PROPERTIES:
			bits = list[i+1]
		case cl.QUEUE_SIZE:
			return 0, wrong(cl.INVALID_QUEUE_PROPERTIES, "a queue of the host has no size")
		default:
			return 0, wrong(cl.INVALID_VALUE, "unknown property %#x", list[i])
		}
	}
	return object(c.NewQueue(d, bits, list))
}

func enqueueMarker(barrier bool) func(a args) error {
	return func(a args) error {
		q, err := queueOf(a[0])
		if err != nil {
			return err
		}
		wait, err := a.waits(1)
		if err != nil {
			return err
		}
		e, err := q.Marker(barrier, wait)
		return a.event(3, e, err)
	}
}

// launch enqueues a kernel. The offset, global and local sizes are the parameters from number
// ranges on, if that is not negative; the wait list and event those from number waits.
func launch(a args, kind, dims, ranges, waits int) error {
	q, err := queueOf(a[0])
	if err != nil {
		return err
	}
	k, err := kernelOf(a[1])
	if err != nil {
		return err
	}
	offset, global, local := []int(nil), []int{1}, []int{1}
	if ranges >= 0 {
		offset, global, local = extent(a.ptr(ranges), dims), extent(a.ptr(ranges+1), dims), extent(a.ptr(ranges+2), dims)
	}
	wait, err := a.waits(waits)
	if err != nil {
		return err
	}
	e, err := q.Launch(k, kind, dims, offset, global, local, wait)
	return a.event(waits+2, e, err)
}

func enqueueNative(a args) error {
	q, err := queueOf(a[0])
	if err != nil {
		return err
	}
	f, data, size, n := uintptr(a[1]), a.ptr(2), a.size(3), a.num(4)
	if f == 0 || (data == nil) != (size == 0) || size < 0 || (n == 0) != (a[5] == 0) || (n == 0) != (a[6] == 0) || n > 0 && data == nil {
		return wrong(cl.INVALID_VALUE, "arguments of %d bytes with %d memory objects", size, n)
	}
	mems, err := all[*opencl.Mem](n, a.ptr(5), cl.INVALID_MEM_OBJECT)
	if err != nil {
		return err
	}
	wait, err := a.waits(7)
	if err != nil {
		return err
	}
	// The handles in a copy of the arguments become addresses of the objects' memory.
	block := make([]byte, size+8)[:size]
	if size > 0 {
		copy(block, unsafe.Slice((*byte)(data), size))
	}
	for i, where := range words(a.ptr(6), n) {
		at := int(where - a[2])
		if at < 0 || at > size-8 {
			return wrong(cl.INVALID_VALUE, "memory object %d is not in the arguments", i)
		}
		binary.LittleEndian.PutUint64(block[at:], uint64(uintptr(unsafe.Pointer(unsafe.SliceData(mems[i].Data())))))
	}
	e, err := q.Native(func() {
		p := uint64(0)
		if size > 0 {
			p = uint64(uintptr(unsafe.Pointer(&block[0])))
		}
		invoke(f, p)
		runtime.KeepAlive(block)
	}, mems, wait)
	return a.event(9, e, err)
}
