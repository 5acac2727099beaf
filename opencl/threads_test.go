package opencl_test

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/simtc/simtc/opencl"
	"github.com/simtc/simtc/opencl/cl"
)

// host is one of the threads of TestHostThreadsMix, with objects of its own in a common context.
type host struct {
	f      *fixture
	r      *rand.Rand
	queues []*opencl.Queue // its own in-order and out-of-order ones, and a common one
	data   *opencl.Mem
	model  []uint32 // the contents of data
	image  *opencl.Mem
}

const hostInts = 512

func newHost(f *fixture, seed uint64) (*host, error) {
	h := &host{f: f, r: rand.New(rand.NewPCG(seed, 1)), model: make([]uint32, hostInts)}
	for _, properties := range []uint64{0, cl.QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE} {
		q, err := f.c.NewQueue(f.p.Device(), properties, nil)
		if err != nil {
			return nil, err
		}
		h.queues = append(h.queues, q)
	}
	h.queues = append(h.queues, f.q)
	var err error
	if h.data, err = f.c.NewBuffer(nil, 0, 4*hostInts, nil); err != nil {
		return nil, err
	}
	format := opencl.Format{Order: cl.RGBA, Type: cl.UNSIGNED_INT32}
	h.image, err = f.c.NewImage(nil, 0, format, opencl.ImageDesc{Type: cl.MEM_OBJECT_IMAGE2D, Width: 16, Height: 4}, nil)
	return h, err
}

func (h *host) queue() *opencl.Queue { return h.queues[h.r.IntN(len(h.queues))] }

// then returns the result of enqueueing a command, as a list to wait for.
func then(e *opencl.Event, err error) ([]*opencl.Event, error) { return []*opencl.Event{e}, err }

// build makes another kernel from a program of its own, while others use theirs.
func (h *host) build() error {
	n := h.r.IntN(40)
	p := h.f.c.NewProgram(fmt.Sprintf("kernel void add(global uint *p, uint n) { p[get_global_id(0)] += n * %d + 1; }", n))
	defer opencl.Release(p)
	built := make(chan bool, 1)
	var notify func()
	if n%2 == 0 {
		notify = func() { built <- true }
	}
	if err := p.Build(nil, "", notify); err != nil {
		return err
	}
	k, err := p.NewKernel("add")
	if err != nil {
		return err
	}
	if notify != nil {
		<-built
	}
	defer opencl.Release(k)
	if err := setArg(k, 0, h.data); err != nil {
		return err
	}
	if err := setArg(k, 1, uint32(7)); err != nil {
		return err
	}
	e, err := h.queue().Launch(k, cl.COMMAND_NDRANGE_KERNEL, 1, nil, []int{hostInts}, nil, nil)
	for i := range h.model {
		h.model[i] += 7*uint32(n) + 1
	}
	return h.finish(e, err)
}

// finish waits for a command.
func (h *host) finish(e *opencl.Event, err error) error {
	if err != nil {
		return err
	}
	defer opencl.Release(e)
	return opencl.WaitFor([]*opencl.Event{e})
}

// transfer writes through a sub-buffer once an event of the host is complete, and fills and copies
// on other queues afterwards.
func (h *host) transfer() error {
	half := hostInts / 2
	sub, err := h.data.SubBuffer(0, 4*half, 4*half)
	if err != nil {
		return err
	}
	defer opencl.Release(sub)
	in := make([]uint32, half)
	for i := range in {
		in[i] = h.r.Uint32()
	}
	start := h.f.c.NewUserEvent()
	defer opencl.Release(start)
	list, err := then(h.queue().Write(sub, false, 0, 4*half, pointerTo(in), []*opencl.Event{start}))
	if err != nil {
		return err
	}
	write := list[0]
	defer opencl.Release(write)
	fill, err := h.queue().Fill(h.data, []byte{1, 2, 3, 4}, 0, 64, list)
	if err != nil {
		return err
	}
	defer opencl.Release(fill)
	last, err := h.queue().Copy(h.data, h.data, 4*half, 64, 64, []*opencl.Event{fill})
	if err != nil {
		return err
	}
	if err := start.SetStatus(cl.COMPLETE); err != nil {
		return err
	}
	copy(h.model[half:], in)
	for i := range 16 {
		h.model[i], h.model[16+i] = 0x04030201, in[i]
	}
	return h.finish(last, nil)
}

// mapped changes the data through a mapping.
func (h *host) mapped() error {
	q := h.queue()
	p, e, err := q.Map(h.data, true, cl.MAP_READ|cl.MAP_WRITE, 0, 4*hostInts, nil)
	if err != nil {
		return err
	}
	opencl.Release(e)
	x := (*[hostInts]uint32)(p)
	for i := range x {
		x[i] ^= uint32(i)
		h.model[i] ^= uint32(i)
	}
	return h.finish(q.Unmap(h.data, p, nil))
}

// picture fills an image and copies a part of it to the data.
func (h *host) picture() error {
	color := h.r.Uint32()
	words := [4]uint32{color, 1, 2, 3}
	var bytes [16]byte
	for i := range bytes {
		bytes[i] = byte(words[i/4] >> (8 * (i % 4)))
	}
	list, err := then(h.queue().FillImage(h.image, bytes, [3]int{}, [3]int{16, 4, 1}, nil))
	if err != nil {
		return err
	}
	defer opencl.Release(list[0])
	copy(h.model[8:], words[:])
	return h.finish(h.queue().CopyImageToBuffer(h.image, h.data, [3]int{3, 2, 0}, [3]int{1, 1, 1}, 32, list))
}

// check compares the data with the model.
func (h *host) check() error {
	out := make([]uint32, hostInts)
	e, err := h.queue().Read(h.data, true, 0, 4*hostInts, pointerTo(out), nil)
	if err != nil {
		return err
	}
	opencl.Release(e)
	for i, v := range out {
		if v != h.model[i] {
			return fmt.Errorf("element %d is %#x instead of %#x", i, v, h.model[i])
		}
	}
	return nil
}

// TestHostThreadsMix lets 8 threads use one context for builds, launches, transfers, mappings and
// images at once, and compares what they read with a model; with -long for a minute.
func TestHostThreadsMix(t *testing.T) {
	f := newFixture(t, opencl.Config{})
	took := 200 * time.Millisecond
	if *long {
		took = time.Minute
	}
	end := time.Now().Add(took)
	errs := make(chan error, 8)
	for i := range 8 {
		go func() {
			errs <- func() error {
				h, err := newHost(f, uint64(i))
				if err != nil {
					return err
				}
				for n := 0; n < 5 || time.Now().Before(end); n++ {
					action := []func() error{h.build, h.transfer, h.mapped, h.picture, h.check}[h.r.IntN(5)]
					if err := action(); err != nil {
						return fmt.Errorf("thread %d, action %d: %w", i, n, err)
					}
				}
				if err := h.check(); err != nil {
					return err
				}
				for _, q := range h.queues[:2] {
					if err := q.Finish(); err != nil {
						return err
					}
					opencl.Release(q)
				}
				opencl.Release(h.data)
				opencl.Release(h.image)
				return nil
			}()
		}()
	}
	for range 8 {
		require.NoError(t, <-errs)
	}
	require.NoError(t, f.q.Finish())
}
