package launch

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/simtc/simtc/internal/diag"
	"github.com/simtc/simtc/kernel"
	"github.com/simtc/simtc/vir"
)

// Program is what every executor needs to know of a compiled kernel.
type Program struct {
	Kernel  *kernel.Func
	Width   int
	Scratch int  // bytes of private memory a strip of Width work-items needs
	Groups  bool // a run is of whole work-groups (vir.Func.Groups)
	Phases  bool // and they run in phases (vir.Func.Phases)
	Strict  bool // it is an error if work-items return while others wait at a barrier
	Tiles   bool // near work-items of several rows rather share memory than those of one far off

	// Counters is of how many blocks the code counts the runs; 0 if it does not
	// count.
	Counters int
}

// Executor runs a kernel over a range. Buffers are read and written in place.
type Executor interface {
	// Launch returns when every work-item is done, ctx has ended, or one of
	// them failed. threads 0 means one for each core.
	Launch(ctx context.Context, r Range, args []Arg, threads int) error
	Close() error
}

// parted is an executor whose launches have parts, which other executors can do as well.
type parted interface {
	Executor

	program() *Program
	// shares reports whether launches with these arguments can be shared with others.
	shares(args []Arg) bool
	// begin prepares a launch over r, which is resolved, on so many threads, 0 meaning
	// one for each core, until end.
	begin(r Range, args []Arg, threads int) (part, error)
}

func (p *Program) program() *Program { return p }

// part is what the workers of a launch share.
type part interface {
	workers() int // how many there may be
	newWorker() (worker, error)
	counted() []Count // see Profiler
	end() error
}

// launchWhole runs all of r by e alone and returns what its code has counted.
func launchWhole(ctx context.Context, e parted, r Range, args []Arg, threads int) ([]Count, error) {
	p := e.program()
	r, err := r.Resolve(p.Kernel.ReqdWorkGroupSize)
	if err != nil {
		return nil, err
	}
	l, err := e.begin(r, args, threads)
	if err != nil {
		return nil, err
	}
	err = p.launch(ctx, r, l.workers(), l.newWorker)
	return l.counted(), errors.Join(err, l.end())
}

// worker runs stretches of work-items, one at a time, with all rows of each.
type worker interface {
	// run runs what next gives until that gives no more.
	run(ctx context.Context, r Range, next func() (run, bool)) error
	done()
}

// maxScratch bounds the private and local memory of all workers of a launch in
// bytes. It is far above what real kernels ask for, and keeps one that asks for
// megabytes a work-item from taking the machine's memory.
const maxScratch = 1<<31 - 1<<24

// space is the memory a worker needs, in bytes.
type space struct {
	scratch int // private memory of all strips that have theirs at the same time
	local   int // local memory of a group
}

// room finds what memory a worker needs for a launch over r, which is resolved.
func (p *Program) room(r Range, args []Arg) (space, error) {
	local, err := localSize(p.Kernel, args)
	if err != nil {
		return space{}, err
	}
	s := space{scratch: p.Scratch, local: local}
	if p.Phases {
		w := uint64(p.Width)
		strips := (r.Local[0] + w - 1) / w * r.Local[1] * r.Local[2]
		if p.Scratch > 0 && strips > uint64(maxScratch/p.Scratch) {
			return s, fmt.Errorf("kernel %s: the %d work-items of a group together need more than %d bytes of private memory",
				p.Kernel.Name, r.Local[0]*r.Local[1]*r.Local[2], maxScratch)
		}
		s.scratch = p.Scratch * int(strips)
	}
	if p.Scratch > maxScratch {
		return s, fmt.Errorf("kernel %s: %d work-items together need %d bytes of private memory, %d are supported; a smaller width needs less",
			p.Kernel.Name, p.Width, p.Scratch, maxScratch)
	}
	return s, nil
}

// workers is how many workers a launch has: threads, 0 meaning one for each
// core, or fewer if their memory would be too large.
func (s space) workers(threads int) int {
	if threads <= 0 {
		threads = runtime.GOMAXPROCS(0)
	}
	return max(1, min(threads, int(maxScratch/max(uint64(s.scratch)+uint64(s.local), 1))))
}

// launch runs all of r, which is resolved, on workers.
func (p *Program) launch(ctx context.Context, r Range, threads int, newWorker func() (worker, error)) error {
	if r.Empty() {
		return nil
	}
	return newRuns(r, p.Groups, p.chunk(r, threads), p.rows(r, threads)).share(ctx, threads, newWorker)
}

// mostPieces is how many units suffice to compare each with others.
const mostPieces = 32

// pieces divides r into units that versions of any width can run, about as many as wanted.
func (p *Program) pieces(r Range, threads int, want uint64) *runs {
	const lanes = 4 * vir.MaxLanes
	chunk, rows := p.chunk(r, threads), p.rows(r, threads)
	if p.Groups {
		return newRuns(r, true, min(chunk, max(r.Global[0]/r.Local[0]/want, 1)), 1)
	}
	all := r.Global[1] * r.Global[2]
	if all < want {
		// Where there are many rows, parts of one are no units: there may be more work in
		// every second part, and versions take turns.
		chunk = min(chunk, max(r.Global[0]/want, 1))
	}
	chunk = (chunk + lanes - 1) / lanes * lanes
	return newRuns(r, false, chunk, min(rows, max(all/want, 1)))
}

// share runs all units on workers, which take them until none is left. The first
// error stops the others.
func (all *runs) share(ctx context.Context, threads int, newWorker func() (worker, error)) error {
	threads = int(min(uint64(threads), all.total))
	var taken atomic.Uint64
	work := func(ctx context.Context) error {
		w, err := newWorker()
		if err != nil {
			return err
		}
		defer w.done()
		var ended error
		err = w.run(ctx, all.r, func() (run, bool) {
			i := taken.Add(1) - 1
			if i >= all.total {
				return run{}, false
			}
			if ctx.Err() != nil {
				ended = context.Cause(ctx)
				return run{}, false
			}
			return all.unit(i), true
		})
		if err != nil {
			return err
		}
		return ended
	}
	if threads == 1 {
		return cause(ctx, work(ctx))
	}
	outer := ctx
	ctx, cancel := context.WithCancelCause(outer)
	defer cancel(nil)
	var wg sync.WaitGroup
	errs := make([]error, threads)
	for i := range threads {
		wg.Go(func() {
			if errs[i] = work(ctx); errs[i] != nil {
				cancel(errs[i])
			}
		})
	}
	wg.Wait()
	why := context.Cause(ctx)
	if outer.Err() != nil && errors.Is(why, context.Cause(outer)) {
		for _, err := range errs {
			if at := placeOf(err); at.IsValid() {
				return located(at, why)
			}
		}
	}
	return why
}

// cause prefers why a context ended to the bare fact that it did, and keeps where that was.
func cause(ctx context.Context, err error) error {
	if ctx.Err() != nil && errors.Is(err, ctx.Err()) {
		return located(placeOf(err), context.Cause(ctx))
	}
	return err
}

// located adds to an error where it happened, if that is known.
func located(at diag.Pos, err error) error {
	if !at.IsValid() {
		return err
	}
	return &diag.Located{Pos: at, Err: err}
}

// placeOf is where err happened, not valid if nobody knows.
func placeOf(err error) diag.Pos {
	var l *diag.Located
	if errors.As(err, &l) {
		return l.Pos
	}
	return diag.Pos{}
}

// tile is how many work-items of a row a worker takes at a time where it takes several
// rows: what they use stays in the caches, and runs are long enough to be worth a call.
const tile = 256

// rows is how many rows a worker takes at a time: more than one if they are
// short, but several units a thread.
func (p *Program) rows(r Range, threads int) uint64 {
	const items = 16 << 10
	length := r.Global[0]
	if p.Tiles {
		length = min(length, tile)
	}
	rows := max(items/length, 1)
	switch {
	case p.Groups:
		return 1
	case threads > 1:
		rows = min(rows, max(r.Global[1]*r.Global[2]/uint64(8*threads), 1))
	}
	return min(rows, r.Global[1])
}

// chunk is how much of a row a worker takes at a time: several units a thread,
// and no more than keep a worker responsive. It counts work-groups where the
// kernel is run by them, else work-items, whole strips of them.
func (p *Program) chunk(r Range, threads int) uint64 {
	n, rows, least := r.Global[0], r.Global[1]*r.Global[2], uint64(4*max(p.Width, 1))
	most := uint64(1 << 20)
	if p.Groups {
		n = max(r.Global[0]/r.Local[0], 1)
		rows = (rows + r.Local[1]*r.Local[2] - 1) / (r.Local[1] * r.Local[2])
		least, most = 1, max(most/(r.Local[0]*r.Local[1]*r.Local[2]), 1)
	}
	parts := uint64(1)
	if want := uint64(threads) * 8; rows < want && threads > 1 {
		parts = (want + rows - 1) / rows
	}
	if p.Tiles && !p.Groups && r.Global[1] > 1 {
		most = tile
	}
	c := min((n+parts-1)/parts, most)
	if !p.Groups {
		w := uint64(max(p.Width, 1))
		c = (c + w - 1) / w * w
	}
	return max(c, least)
}
