//go:build cgo

package main

import (
	"unsafe"

	"github.com/simtc/simtc/opencl"
	"github.com/simtc/simtc/opencl/cl"
)

// on returns the queue and the memory object in parameters 0 and 1, and the wait list from
// parameter i.
func (a args) on(i int) (q *opencl.Queue, m *opencl.Mem, wait []*opencl.Event, err error) {
	if q, err = queueOf(a[0]); err == nil {
		if m, err = memOf(a[1]); err == nil {
			wait, err = a.waits(i)
		}
	}
	return q, m, wait, err
}

// two returns the queue and two memory objects in parameters 0 to 2, and the wait list.
func (a args) two(i int) (q *opencl.Queue, from, to *opencl.Mem, wait []*opencl.Event, err error) {
	if q, from, wait, err = a.on(i); err == nil {
		to, err = memOf(a[2])
	}
	return q, from, to, wait, err
}

// triples returns several triples.
func (a args) triples(at ...int) ([][3]int, error) {
	var out [][3]int
	for _, i := range at {
		t, err := a.triple(i)
		if err != nil {
			return nil, err
		}
		out = append(out, t)
	}
	return out, nil
}

// transferCalls are the functions that enqueue copies, fills and mappings.
var transferCalls = map[string]any{
	"clEnqueueReadBuffer": func(a args) error {
		q, m, wait, err := a.on(6)
		if err != nil {
			return err
		}
		e, err := q.Read(m, a.flag(2), a.size(3), a.size(4), a.ptr(5), wait)
		return a.event(8, e, err)
	},
	"clEnqueueWriteBuffer": func(a args) error {
		q, m, wait, err := a.on(6)
		if err != nil {
			return err
		}
		e, err := q.Write(m, a.flag(2), a.size(3), a.size(4), a.ptr(5), wait)
		return a.event(8, e, err)
	},
	"clEnqueueReadBufferRect":  transferRect((*opencl.Queue).ReadRect),
	"clEnqueueWriteBufferRect": transferRect((*opencl.Queue).WriteRect),
	"clEnqueueCopyBuffer": func(a args) error {
		q, from, to, wait, err := a.two(6)
		if err != nil {
			return err
		}
		e, err := q.Copy(from, to, a.size(3), a.size(4), a.size(5), wait)
		return a.event(8, e, err)
	},
	"clEnqueueCopyBufferRect": func(a args) error {
		q, from, to, wait, err := a.two(10)
		if err != nil {
			return err
		}
		t, err := a.triples(3, 4, 5)
		if err != nil {
			return err
		}
		e, err := q.CopyRect(from, to, opencl.Rect{Origin: t[0], Row: a.size(6), Slice: a.size(7)}, opencl.Rect{Origin: t[1], Row: a.size(8), Slice: a.size(9)}, t[2], wait)
		return a.event(12, e, err)
	},
	"clEnqueueFillBuffer": func(a args) error {
		q, m, wait, err := a.on(6)
		if err != nil {
			return err
		}
		pattern, err := a.pattern(2)
		if err != nil {
			return err
		}
		e, err := q.Fill(m, pattern, a.size(4), a.size(5), wait)
		return a.event(8, e, err)
	},
	"clEnqueueMapBuffer": func(a args) (uintptr, error) {
		q, m, wait, err := a.on(6)
		if err != nil {
			return 0, err
		}
		p, e, err := q.Map(m, a.flag(2), a[3], a.size(4), a.size(5), wait)
		return uintptr(p), a.event(8, e, err)
	},
	"clEnqueueUnmapMemObject": func(a args) error {
		q, m, wait, err := a.on(3)
		if err != nil {
			return err
		}
		e, err := q.Unmap(m, a.ptr(2), wait)
		return a.event(5, e, err)
	},
	"clEnqueueMigrateMemObjects": func(a args) error {
		q, err := queueOf(a[0])
		if err != nil {
			return err
		}
		if a.num(1) == 0 || a[2] == 0 {
			return wrong(cl.INVALID_VALUE, "no memory objects")
		}
		mems, err := all[*opencl.Mem](a.num(1), a.ptr(2), cl.INVALID_MEM_OBJECT)
		if err != nil {
			return err
		}
		wait, err := a.waits(4)
		if err != nil {
			return err
		}
		e, err := q.Migrate(mems, a[3], wait)
		return a.event(6, e, err)
	},
	"clEnqueueReadImage":  transferImage((*opencl.Queue).ReadImage),
	"clEnqueueWriteImage": transferImage((*opencl.Queue).WriteImage),
	"clEnqueueCopyImage": func(a args) error {
		q, from, to, wait, err := a.two(6)
		if err != nil {
			return err
		}
		t, err := a.triples(3, 4, 5)
		if err != nil {
			return err
		}
		e, err := q.CopyImage(from, to, t[0], t[1], t[2], wait)
		return a.event(8, e, err)
	},
	"clEnqueueCopyImageToBuffer": func(a args) error {
		q, from, to, wait, err := a.two(6)
		if err != nil {
			return err
		}
		t, err := a.triples(3, 4)
		if err != nil {
			return err
		}
		e, err := q.CopyImageToBuffer(from, to, t[0], t[1], a.size(5), wait)
		return a.event(8, e, err)
	},
	"clEnqueueCopyBufferToImage": func(a args) error {
		q, from, to, wait, err := a.two(6)
		if err != nil {
			return err
		}
		t, err := a.triples(4, 5)
		if err != nil {
			return err
		}
		e, err := q.CopyBufferToImage(from, to, a.size(3), t[0], t[1], wait)
		return a.event(8, e, err)
	},
	"clEnqueueFillImage": func(a args) error {
		q, m, wait, err := a.on(5)
		if err != nil {
			return err
		}
		t, err := a.triples(3, 4)
		if err != nil {
			return err
		}
		if a[2] == 0 {
			return wrong(cl.INVALID_VALUE, "no color")
		}
		var color [16]byte
		n := 16
		if m.IsDepth() {
			n = 4
		}
		copy(color[:], unsafe.Slice((*byte)(a.ptr(2)), n))
		e, err := q.FillImage(m, color, t[0], t[1], wait)
		return a.event(7, e, err)
	},
	"clEnqueueMapImage": func(a args) (uintptr, error) {
		q, m, wait, err := a.on(8)
		if err != nil {
			return 0, err
		}
		t, err := a.triples(4, 5)
		if err != nil {
			return 0, err
		}
		if a[6] == 0 || m.Slices() && a[7] == 0 {
			return 0, wrong(cl.INVALID_VALUE, "no room for the pitches")
		}
		p, row, slice, e, err := q.MapImage(m, a.flag(2), a[3], t[0], t[1], wait)
		if err == nil {
			put(a.ptr(6), uint64(row))
			put(a.ptr(7), uint64(slice))
		}
		return uintptr(p), a.event(10, e, err)
	},
}

// pattern returns the pattern of a fill in parameters i and i+1.
func (a args) pattern(i int) ([]byte, error) {
	n := a.size(i + 1)
	if a[i] == 0 || n <= 0 || n > 128 {
		return nil, wrong(cl.INVALID_VALUE, "a pattern of %d bytes", n)
	}
	return unsafe.Slice((*byte)(a.ptr(i)), n), nil
}

type rectTransfer = func(q *opencl.Queue, m *opencl.Mem, blocking bool, at, hostAt opencl.Rect, region [3]int, p unsafe.Pointer, wait []*opencl.Event) (*opencl.Event, error)

func transferRect(enqueue rectTransfer) func(a args) error {
	return func(a args) error {
		q, m, wait, err := a.on(11)
		if err != nil {
			return err
		}
		t, err := a.triples(3, 4, 5)
		if err != nil {
			return err
		}
		e, err := enqueue(q, m, a.flag(2), opencl.Rect{Origin: t[0], Row: a.size(6), Slice: a.size(7)}, opencl.Rect{Origin: t[1], Row: a.size(8), Slice: a.size(9)}, t[2], a.ptr(10), wait)
		return a.event(13, e, err)
	}
}

type imageTransfer = func(q *opencl.Queue, m *opencl.Mem, blocking bool, origin, region [3]int, row, slice int, p unsafe.Pointer, wait []*opencl.Event) (*opencl.Event, error)

func transferImage(enqueue imageTransfer) func(a args) error {
	return func(a args) error {
		q, m, wait, err := a.on(8)
		if err != nil {
			return err
		}
		t, err := a.triples(3, 4)
		if err != nil {
			return err
		}
		e, err := enqueue(q, m, a.flag(2), t[0], t[1], a.size(5), a.size(6), a.ptr(7), wait)
		return a.event(10, e, err)
	}
}
