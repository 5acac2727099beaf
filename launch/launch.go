package launch

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/simtc/simtc/kernel"
)

// Program is what every executor needs to know of a compiled kernel.
type Program struct {
	Kernel  *kernel.Func
	Width   int
	Scratch int  // bytes of private memory a worker needs for all its lanes
	Groups  bool // the kernel asks for local or group ids

	// Counters is of how many blocks the code counts the runs; 0 if it does not
	// count.
	Counters int
}

// UsesGroups reports whether a kernel can tell work-groups apart, so that it
// has to be run group by group.
func UsesGroups(f *kernel.Func) bool {
	for _, b := range f.Blocks {
		for _, v := range b.Values {
			switch v.Op {
			case kernel.LocalID, kernel.GroupID, kernel.LocalSize:
				return true
			}
		}
	}
	return false
}

// Executor runs a kernel over a range. Buffers are read and written in place.
type Executor interface {
	// Launch returns when every work-item is done, ctx has ended, or one of
	// them failed. threads 0 means one for each core.
	Launch(ctx context.Context, r Range, args []Arg, threads int) error
	Close() error
}

// worker runs stretches of work-items, one at a time.
type worker interface {
	run(ctx context.Context, r Range, x run) error
	done()
}

// maxScratch bounds the private memory of all workers of a launch in bytes. It
// is far above what real kernels ask for, and keeps one that asks for megabytes
// a work-item from taking the machine's memory.
const maxScratch = 1<<31 - 1

// workers is how many workers a launch has: threads, 0 meaning one for each
// core, or fewer if their private memory would be too large. It is an error if
// it is for one.
func (p *Program) workers(threads int) (int, error) {
	if threads <= 0 {
		threads = runtime.GOMAXPROCS(0)
	}
	if p.Scratch > maxScratch {
		return 0, fmt.Errorf("kernel %s: %d work-items together need %d bytes of private memory, %d are supported; a smaller width needs less",
			p.Kernel.Name, p.Width, p.Scratch, maxScratch)
	}
	return min(threads, maxScratch/max(p.Scratch, 1)), nil
}

// launch runs all of r on workers, which take units until none is left. The
// first error stops the others.
func (p *Program) launch(ctx context.Context, r Range, threads int, newWorker func() (worker, error)) error {
	r, err := r.Resolve(p.Kernel.ReqdWorkGroupSize)
	if err != nil {
		return err
	}
	if threads, err = p.workers(threads); err != nil {
		return err
	}
	all := newRuns(r, p.Groups, p.chunk(r, threads))
	threads = int(min(uint64(threads), all.total))
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var next atomic.Uint64
	work := func() error {
		w, err := newWorker()
		if err != nil {
			return err
		}
		defer w.done()
		for i := next.Add(1) - 1; i < all.total; i = next.Add(1) - 1 {
			if ctx.Err() != nil {
				return context.Cause(ctx)
			}
			if err := all.each(i, func(x run) error { return w.run(ctx, r, x) }); err != nil {
				return err
			}
		}
		return nil
	}
	if threads == 1 {
		return cause(ctx, work())
	}
	var wg sync.WaitGroup
	for range threads {
		wg.Go(func() {
			if err := work(); err != nil {
				cancel(err)
			}
		})
	}
	wg.Wait()
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return nil
}

// cause prefers why a context ended to the bare fact that it did.
func cause(ctx context.Context, err error) error {
	if ctx.Err() != nil && errors.Is(err, ctx.Err()) {
		return context.Cause(ctx)
	}
	return err
}

// chunk is how many work-items of a row a worker takes at a time: whole
// strips, several units a thread, and no more than keep a worker responsive.
func (p *Program) chunk(r Range, threads int) uint64 {
	w := uint64(max(p.Width, 1))
	rows := r.Global[1] * r.Global[2]
	parts := uint64(1)
	if want := uint64(threads) * 8; rows < want && threads > 1 {
		parts = (want + rows - 1) / rows
	}
	n := (r.Global[0] + parts - 1) / parts
	return max((min(n, 1<<20)+w-1)/w*w, 4*w)
}
