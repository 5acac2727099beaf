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

// Program describes a compiled kernel to an executor.
type Program struct {
	Kernel  *kernel.Func
	Width   int
	Scratch int  // bytes of private memory of a strip of Width work-items
	Groups  bool // a run consists of whole work-groups (vir.Func.Groups)
	Phases  bool // groups run in phases between barriers (vir.Func.Phases)
	Strict  bool // work-items that return while others wait at a barrier are an error
	LaneDim int  // the dimension along which the lanes lie: the code runs over ranges in which it is exchanged with 0
	// Joined is the size of work-groups if the code runs over ranges in which their rows are joined into
	// one (kernel.Joined); all groups have this size, except along a dimension 2 of 1, which is not
	// joined. 0: they are not.
	Joined [3]int

	Tiles   bool // work-items of adjacent rows share more memory than distant ones of a row
	Columns int  // with Tiles, bytes of the elements that are adjacent from row to row, but not in a row; 0: none

	// Straight is the number of operations of a work-item if the kernel has no loops, else 0.
	Straight int

	// Counters is the number of blocks whose executions the code counts; 0 for code
	// that is not instrumented.
	Counters int
}

// Executor runs a kernel over a range. Buffers are read and written in place.
type Executor interface {
	// Launch returns when every work-item is done, ctx has ended, or a work-item has
	// failed. threads 0 means one per core.
	Launch(ctx context.Context, r Range, args []Arg, threads int) error
	Close() error
}

// divisible is an executor whose launches can be shared with other executors unit by unit.
type divisible interface {
	Executor

	program() *Program
	// shares reports whether a launch with these arguments can be shared with others.
	shares(args []Arg) bool
	// begin prepares a launch over r, which is resolved and exchanged, until end is called on
	// its result. threads 0 means one per core.
	begin(r Range, args []Arg, threads int) (part, error)
}

func (p *Program) program() *Program { return p }

// part is the share of one executor in a launch: the state common to its workers.
type part interface {
	workers() int // the maximum
	newWorker() (worker, error)
	counted() []Count // see Profiler
	end() error
}

// launchWhole runs all of r with e alone and returns the counts of its code.
func launchWhole(ctx context.Context, e divisible, r Range, args []Arg, threads int) ([]Count, error) {
	p := e.program()
	r, err := r.Resolve(p.Kernel.ReqdWorkGroupSize)
	if err != nil {
		return nil, err
	}
	r = p.of(r)
	l, err := e.begin(r, args, threads)
	if err != nil {
		return nil, err
	}
	err = p.launch(ctx, r, l.workers(), l.newWorker)
	return l.counted(), errors.Join(err, l.end())
}

// worker runs units of work-items, one at a time, with all rows of each.
type worker interface {
	// run runs the units that next returns until next returns false.
	run(ctx context.Context, r Range, next func() (run, bool)) error
	done()
}

// maxScratch bounds the private and local memory of all workers of a launch in
// bytes. It is far above the needs of real kernels and stops one that declares
// megabytes per work-item from exhausting the machine's memory.
const maxScratch = 1<<31 - 1<<24

// space is the memory of a worker in bytes.
type space struct {
	scratch int // private memory of all strips whose private memory is live at once
	local   int // local memory of a group
}

// room computes the memory of a worker for a launch over r, which is resolved.
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
			return s, fmt.Errorf("kernel %s: the %d work-items of a group together need more than the maximum of %d bytes of private memory",
				p.Kernel.Name, r.Local[0]*r.Local[1]*r.Local[2], maxScratch)
		}
		s.scratch = p.Scratch * int(strips)
	}
	if p.Scratch > maxScratch {
		return s, fmt.Errorf("kernel %s: %d work-items together need %d bytes of private memory, more than the maximum of %d; use a smaller width",
			p.Kernel.Name, p.Width, p.Scratch, maxScratch)
	}
	return s, nil
}

// workers returns the number of workers of a launch: threads (0: one per core), or fewer
// if their memory would exceed maxScratch.
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

// maxUnits is the number of units that suffices to compare each version with the others.
const maxUnits = 32

// divide splits r into about want units that versions of any width can run; with crossed, also
// versions whose lanes lie along another dimension.
func (p *Program) divide(r Range, threads int, want uint64, crossed bool) *runs {
	const lanes = 4 * vir.MaxLanes
	chunk, rows := p.chunk(r, threads), p.rows(r, threads)
	if p.Groups {
		return newRuns(r, true, min(chunk, max(r.Global[0]/r.Local[0]/want, 1)), 1)
	}
	all := r.Global[1] * r.Global[2]
	if all < want {
		// A range with many rows is split into whole rows only: if every second part of a
		// row had more work, versions that take turns would be compared unfairly.
		chunk = min(chunk, max(r.Global[0]/want, 1))
	}
	chunk = (chunk + lanes - 1) / lanes * lanes
	rows = min(rows, max(all/want, 1))
	if crossed {
		rows = min(max(rows, lanes), r.Global[1])
	}
	return newRuns(r, false, chunk, rows)
}

// share runs all units on workers, which take them one by one. The first error stops the
// other workers.
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

// cause replaces the error of an ended context by its cause and keeps the location.
func cause(ctx context.Context, err error) error {
	if ctx.Err() != nil && errors.Is(err, ctx.Err()) {
		return located(placeOf(err), context.Cause(ctx))
	}
	return err
}

// located adds a location to err if it is valid.
func located(at diag.Pos, err error) error {
	if !at.IsValid() {
		return err
	}
	return &diag.Located{Pos: at, Err: err}
}

// placeOf returns the location of err, which is invalid if it is unknown.
func placeOf(err error) diag.Pos {
	var l *diag.Located
	if errors.As(err, &l) {
		return l.Pos
	}
	return diag.Pos{}
}

// tile returns the length and the number of the parts of rows that a worker takes at a time, so
// that their data stays in the caches; 0 if it takes whole rows.
//
//   - If lanes access distant memory, their cache lines are used again by the next rows.
//   - If moreover those accesses are along columns, as in a transposition, and their distance is a
//     multiple of a power of two, the lines compete for few cache sets. Then no more than
//     MaxColumns lanes take turns.
//   - A work-group of several rows shows which work-items share memory, according to the author.
func (p *Program) tile(r Range) (length, rows uint64) {
	const items = 4096 // of a tile: fewer are not worth a unit
	size := func(length, rows uint64) (uint64, uint64) {
		w := uint64(max(p.Width, 1))
		return (length + w - 1) / w * w, rows
	}
	switch {
	case p.Groups || r.Global[1] <= 1:
		return 0, 0
	case p.Tiles && p.Columns == 0:
		return size(256, 64)
	case p.Tiles && r.SharesSets(p.Columns):
		return size(MaxColumns, 256)
	case p.Tiles:
		return size(64, 256)
	case r.Local[1] <= 1 || p.Straight > 0: // a call for each row takes as long as some straight work-items
		return 0, 0
	}
	length = r.Local[0]
	return size(length, (items/length+r.Local[1]-1)/r.Local[1]*r.Local[1])
}

// rows returns the number of rows in a unit: more than one if rows are short, but few
// enough for several units per thread.
func (p *Program) rows(r Range, threads int) uint64 {
	const items = 16 << 10
	rows := max(items/r.Global[0], 1)
	if length, n := p.tile(r); length > 0 && length < r.Global[0] {
		rows = n
	}
	switch {
	case p.Groups:
		return 1
	case threads > 1:
		rows = min(rows, max(r.Global[1]*r.Global[2]/uint64(8*threads), 1))
	}
	return min(rows, r.Global[1])
}

// chunk returns the length of a unit within a row: several units per thread, and short
// enough to keep a worker responsive to cancellation. It is in work-groups for a kernel
// that runs in groups, else in work-items, a multiple of the width.
func (p *Program) chunk(r Range, threads int) uint64 {
	n, rows, minLen := r.Global[0], r.Global[1]*r.Global[2], uint64(4*max(p.Width, 1))
	maxLen := uint64(1 << 20)
	if p.Groups {
		n = max(r.Global[0]/r.Local[0], 1)
		rows = (rows + r.Local[1]*r.Local[2] - 1) / (r.Local[1] * r.Local[2])
		minLen, maxLen = 1, max(maxLen/(r.Local[0]*r.Local[1]*r.Local[2]), 1)
	}
	parts := uint64(1)
	if want := uint64(threads) * 8; rows < want && threads > 1 {
		parts = (want + rows - 1) / rows
	}
	if length, _ := p.tile(r); length > 0 {
		minLen, maxLen = min(minLen, length), length
	}
	c := min((n+parts-1)/parts, maxLen)
	if !p.Groups {
		w := uint64(max(p.Width, 1))
		c = (c + w - 1) / w * w
	}
	return max(c, minLen)
}
