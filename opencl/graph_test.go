package opencl_test

import (
	"math/rand/v2"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"

	"github.com/simtc/simtc/opencl"
	"github.com/simtc/simtc/opencl/cl"
)

const (
	graphBuffers = 5
	graphInts    = 64
)

// graph is a random program of commands with a model that runs them in order.
type graph struct {
	*fixture
	r       *rand.Rand
	queues  []*opencl.Queue
	buffers []*opencl.Mem
	model   [graphBuffers][graphInts]uint32
	kernel  *opencl.Kernel
	readers [graphBuffers][]*opencl.Event // since the last write
	writer  [graphBuffers]*opencl.Event
	results []func() // checks of the data read
}

// after lists the events that a command must wait for that reads and writes buffers.
func (g *graph) after(reads, writes []int) []*opencl.Event {
	var wait []*opencl.Event
	for _, b := range append(reads, writes...) {
		if g.writer[b] != nil {
			wait = append(wait, g.writer[b])
		}
	}
	for _, b := range writes {
		wait = append(wait, g.readers[b]...)
	}
	return wait
}

func (g *graph) done(e *opencl.Event, err error, reads, writes []int) {
	require.NoError(g, err)
	for _, b := range reads {
		g.readers[b] = append(g.readers[b], e)
	}
	for _, b := range writes {
		g.writer[b], g.readers[b] = e, nil
	}
}

// step enqueues a random command.
func (g *graph) step() {
	q := g.queues[g.r.IntN(len(g.queues))]
	a := g.r.IntN(graphBuffers)
	b := (a + 1 + g.r.IntN(graphBuffers-1)) % graphBuffers
	v := g.r.Uint32()
	from, n := g.r.IntN(graphInts/2), 1+g.r.IntN(graphInts/2)
	switch g.r.IntN(5) {
	case 0: // fill
		e, err := q.Fill(g.buffers[a], unsafe.Slice((*byte)(unsafe.Pointer(&v)), 4), 4*from, 4*n, g.after(nil, []int{a}))
		g.done(e, err, nil, []int{a})
		for i := from; i < from+n; i++ {
			g.model[a][i] = v
		}
	case 1: // copy
		to := g.r.IntN(graphInts - n)
		e, err := q.Copy(g.buffers[a], g.buffers[b], 4*from, 4*to, 4*n, g.after([]int{a}, []int{b}))
		g.done(e, err, []int{a}, []int{b})
		copy(g.model[b][to:to+n], g.model[a][from:from+n])
	case 2: // b += a * v
		g.set(g.kernel, g.buffers[a], g.buffers[b], v)
		e, err := q.Launch(g.kernel, cl.COMMAND_NDRANGE_KERNEL, 1, []int{from}, []int{n}, nil, g.after([]int{a}, []int{b}))
		g.done(e, err, []int{a}, []int{b})
		for i := from; i < from+n; i++ {
			g.model[b][i] += g.model[a][i] * v
		}
	case 3: // read
		out, want := make([]uint32, graphInts), g.model[a]
		e, err := q.Read(g.buffers[a], g.r.IntN(4) == 0, 0, 4*graphInts, pointerTo(out), g.after([]int{a}, nil))
		g.done(e, err, []int{a}, nil)
		g.results = append(g.results, func() { require.Equal(g, want[:], out) })
	case 4: // a marker or barrier of a queue
		e, err := q.Marker(g.r.IntN(2) == 0, nil)
		require.NoError(g, err)
		opencl.Release(e)
	}
}

// TestRandomGraphs runs random commands with dependencies on several queues, and compares memory
// with a model that runs them in order.
func TestRandomGraphs(t *testing.T) {
	graphs := 60
	if *long {
		graphs = 1000
	}
	f := newFixture(t, opencl.Config{Threads: 2})
	k := f.kernel("kernel void f(global const uint *a, global uint *b, uint v) { size_t i = get_global_id(0); b[i] += a[i] * v; }", "f")
	for seed := range graphs {
		g := &graph{fixture: f, r: rand.New(rand.NewPCG(uint64(seed), 0)), kernel: k}
		for range 3 {
			g.queues = append(g.queues, f.queue(uint64(g.r.IntN(2))))
		}
		for range graphBuffers {
			g.buffers = append(g.buffers, f.buffer(4*graphInts))
		}
		for range 40 {
			g.step()
		}
		for _, i := range g.r.Perm(len(g.queues)) {
			require.NoError(t, g.queues[i].Finish())
		}
		for i, m := range g.buffers {
			require.Equal(t, g.model[i][:], unsafe.Slice((*uint32)(unsafe.Pointer(&m.Data()[0])), graphInts), "seed %d", seed)
			opencl.Release(m)
		}
		for _, check := range g.results {
			check()
		}
		for _, q := range g.queues {
			opencl.Release(q)
		}
	}
}

// TestHostThreads lets several goroutines use one context, with queues and objects of their own
// and one queue in common.
func TestHostThreads(t *testing.T) {
	f := newFixture(t, opencl.Config{})
	const text = "kernel void f(global uint *p, uint n) { p[get_global_id(0)] += n; }"
	rounds := 20
	if *long {
		rounds = 2000
	}
	errs := make(chan error, 8)
	for i := range 8 {
		go func() {
			errs <- func() error {
				p := f.c.NewProgram(text)
				if err := p.Build(nil, "", nil); err != nil {
					return err
				}
				defer opencl.Release(p)
				own, err := f.c.NewQueue(f.p.Device(), uint64(i%2), nil)
				if err != nil {
					return err
				}
				defer opencl.Release(own)
				m, err := f.c.NewBuffer(nil, 0, 4096, nil)
				if err != nil {
					return err
				}
				defer opencl.Release(m)
				for r := range rounds {
					k, err := p.NewKernel("f")
					if err == nil {
						err = setArg(k, 0, m)
					}
					if err == nil {
						err = setArg(k, 1, uint32(i))
					}
					if err != nil {
						return err
					}
					q := own
					if r%2 == 0 {
						q = f.q
					}
					e, err := q.Launch(k, cl.COMMAND_NDRANGE_KERNEL, 1, nil, []int{1024}, nil, nil)
					if err != nil {
						return err
					}
					out := make([]uint32, 1)
					d, err := own.Read(m, true, 4092, 4, pointerTo(out), []*opencl.Event{e})
					if err != nil {
						return err
					}
					if out[0] != uint32((r+1)*i) {
						t.Errorf("thread %d read %d after %d launches", i, out[0], r+1)
					}
					opencl.Release(d)
					opencl.Release(e)
					opencl.Release(k)
				}
				return own.Finish()
			}()
		}()
	}
	for range 8 {
		require.NoError(t, <-errs)
	}
	require.NoError(t, f.q.Finish())
}
