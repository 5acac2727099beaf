package launch

import (
	"context"
	"errors"
	"sync"
	"unsafe"

	"github.com/simtc/simtc/internal/diag"
	"github.com/simtc/simtc/launch/native"
	"github.com/simtc/simtc/vir"
)

// nativeExecutor runs machine code, on the host's processor or an emulated one.
type nativeExecutor struct {
	Program
	processor
	spill int // bytes of spill slots below private memory

	mu    sync.Mutex
	spare []workspace // idle ones: they are expensive to create for short launches
}

// processor runs one machine code program.
type processor interface {
	// memory returns an empty address map, or a copy of base to which more can be added.
	memory(base addresses) addresses
	// maxWorkers bounds the number of workers.
	maxWorkers(workers int) int
	// newArea returns a stack area for a worker, or nil if it needs none.
	newArea() *native.Area
	// runAll calls the code with the address of a launch context, and repeats the call
	// while next returns true.
	runAll(ctx context.Context, w *nativeWorker, next func() bool) error
	close() error
}

// addresses maps slices to the addresses at which code accesses them.
type addresses interface {
	of(b []byte) uint64    // 0 for an empty slice
	fixed(b []byte) uint64 // the same for memory that neither moves nor is freed
	release()
}

// workspace is the reusable memory of a worker.
type workspace struct {
	area    *native.Area
	private []byte
	ctx     contextBlock
}

// maxKept bounds the private memory in bytes that is kept for later launches.
const maxKept = 4 << 20

// NewNative loads machine code with one entry point that needs spill bytes below its
// private memory. at returns the source location of the instruction at an offset.
func NewNative(p Program, image native.Image, at func(offset int) diag.Pos, spill int) (Executor, error) {
	code, err := native.Load(image)
	if err != nil {
		return nil, err
	}
	return &nativeExecutor{Program: p, processor: &thisProcessor{code, at}, spill: spill}, nil
}

// thisProcessor is the processor of the host.
type thisProcessor struct {
	code *native.Code
	at   func(offset int) diag.Pos
}

func (p *thisProcessor) memory(addresses) addresses { return &pinned{} }
func (p *thisProcessor) maxWorkers(workers int) int { return workers }
func (p *thisProcessor) newArea() *native.Area      { return native.NewArea() }
func (p *thisProcessor) close() error               { return p.code.Close() }

func (p *thisProcessor) runAll(ctx context.Context, w *nativeWorker, next func() bool) error {
	err := p.code.RunAll(ctx, 0, uintptr(w.at), w.area, next)
	var f *native.Fault
	if errors.As(err, &f) && f.OffsetKnown {
		return located(p.at(f.Offset), err)
	}
	var d *native.Dropped
	if errors.As(err, &d) {
		return located(p.at(d.Offset), d.Err)
	}
	return err
}

// pinned maps memory to its own addresses and pins it.
type pinned struct{ native.Pins }

func (p *pinned) of(b []byte) uint64    { return uint64(p.Bytes(b)) }
func (p *pinned) fixed(b []byte) uint64 { return uint64(uintptr(unsafe.Pointer(unsafe.SliceData(b)))) }
func (p *pinned) release()              { p.Release() }

func (e *nativeExecutor) Close() error {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, w := range e.spare {
		if w.area != nil {
			w.area.Release()
		}
	}
	e.spare = nil
	return e.close()
}

// take returns a workspace for a worker; give returns it.
func (e *nativeExecutor) take(private int) workspace {
	var w workspace
	e.mu.Lock()
	if n := len(e.spare) - 1; n >= 0 {
		w, e.spare = e.spare[n], e.spare[:n]
	}
	e.mu.Unlock()
	if w.area == nil {
		w.area = e.newArea()
	}
	if len(w.private) < private {
		w.private = native.AlignedBytes(private, 64)
	}
	if w.ctx == nil {
		w.ctx = contextBlock(native.AlignedBytes(vir.CtxSize, 64))
	}
	clear(w.ctx)
	return w
}

func (e *nativeExecutor) give(w workspace) {
	if len(w.private) > maxKept {
		w.private = nil
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.spare = append(e.spare, w)
}

func (e *nativeExecutor) Profile(ctx context.Context, r Range, args []Arg, threads int) ([]Count, error) {
	return launchWhole(ctx, e, r, args, threads)
}

// shares is false where variables hold pointers: only one executor at a time can relocate
// them.
func (e *nativeExecutor) shares(args []Arg) bool { return e.keptPointers(args, nil) == nil }

// nativeLaunch is the state common to the workers of a launch.
type nativeLaunch struct {
	e               *nativeExecutor
	space           space
	memory          addresses
	blockAt, dataAt uint64
	threads         int
	brief           bool
	total           *counts
	kept            *keptPointers
}

// briefWork is the number of operations up to which a launch is brief (native.Area): they take
// far less than a millisecond, and about ten if each is a cache miss that lanes do not share.
const briefWork = 100000

// noBytes is the address of an empty buffer: not null, and never mapped.
const noBytes = 64

func (e *nativeExecutor) begin(r Range, args []Arg, threads int) (part, error) {
	native.KeepFaults()
	l := &nativeLaunch{e: e, memory: e.memory(nil), total: newCounts(&e.Program)}
	var err error
	if l.space, err = e.room(r, args); err != nil {
		return nil, err
	}
	block, err := layOut(e.Kernel, args, func(i int, b []byte) uint64 {
		switch {
		case len(b) == 0:
			return noBytes
		case i >= 0 && args[i].fixed:
			return l.memory.fixed(b)
		}
		return l.memory.of(b)
	})
	if err != nil {
		l.memory.release()
		return nil, err
	}
	table := make(contextBlock, 8*max(len(e.Kernel.Data), 1))
	placed := e.placeData(table, block, l.memory.of)
	if l.kept = e.keptPointers(args, placed); l.kept != nil {
		l.kept.enter(l.kept.block)
	}
	l.blockAt, l.dataAt = l.memory.of(block), l.memory.of(table)
	l.threads = e.maxWorkers(l.space.workers(threads))
	l.brief = e.Straight > 0 && r.items() <= briefWork/uint64(e.Straight)
	return l, nil
}

func (l *nativeLaunch) workers() int     { return l.threads }
func (l *nativeLaunch) counted() []Count { return l.total.sum }

func (l *nativeLaunch) end() error {
	if l.kept != nil {
		l.kept.leave()
	}
	l.memory.release()
	return nil
}

func (l *nativeLaunch) newWorker() (worker, error) {
	w := &nativeWorker{e: l.e, total: l.total, memory: l.memory}
	if w.alone = l.threads == 1; !w.alone {
		w.memory = l.e.memory(l.memory)
	}
	spill := (l.e.spill + 63) &^ 63
	w.workspace = l.e.take(spill + max(l.space.scratch, 64))
	if w.area != nil {
		w.area.Brief, w.area.Rows = l.brief, !l.e.Groups
	}
	w.ctx.put(vir.CtxArgs, l.blockAt)
	w.ctx.put(vir.CtxData, l.dataAt)
	w.ctx.put(vir.CtxScratch, w.memory.of(w.private)+uint64(spill))
	if l.space.local > 0 {
		// A pointer to the end of local memory counts as local: nothing else may begin there.
		w.ctx.put(vir.CtxLocal, w.memory.of(native.AlignedBytes(l.space.local+1, localAlign)))
		w.ctx.put(vir.CtxLocalBytes, uint64(l.space.local))
	}
	if l.e.Counters > 0 {
		w.counters = native.AlignedBytes(l.e.counterBytes(), 64)
		w.ctx.put(vir.CtxProfile, w.memory.of(w.counters))
	}
	w.at = w.memory.of(w.ctx)
	return w, nil
}

type nativeWorker struct {
	e      *nativeExecutor
	at     uint64 // address of ctx
	memory addresses
	alone  bool // the only worker: memory is the launch's
	workspace
	begun bool

	counters []byte
	total    *counts
}

func (w *nativeWorker) done() {
	w.total.add(w.counters)
	if !w.alone {
		w.memory.release()
	}
	w.e.give(w.workspace)
}

// run calls the code for all rows in one runAll, which costs about a microsecond to
// enter, and which on this processor runs all rows of a unit by itself. From row to row only
// the row's number changes. Units of kernels that run in groups have one row.
func (w *nativeWorker) run(ctx context.Context, r Range, next func() (run, bool)) error {
	if !w.begun {
		w.begun = true
		w.ctx.setRange(r)
	}
	var (
		x      run
		failed error
	)
	several := !w.e.Groups
	take := func() (ok bool) {
		if x, ok = next(); ok {
			w.ctx.setRun(r, x)
			if several {
				w.ctx.put(vir.CtxRows, x.rows)
			}
		}
		return ok
	}
	if !take() {
		return nil
	}
	err := w.e.runAll(ctx, w, func() bool {
		// Rows are left if the code was interrupted, or does not run several.
		if rows := w.ctx.get(vir.CtxRows); several && rows > 0 {
			w.ctx.put(vir.CtxRows, rows-1)
			w.ctx.put(vir.CtxStart+8, w.ctx.get(vir.CtxStart+8)+1)
			if rows > 1 {
				return true
			}
		}
		failed = w.ctx.fault(ctx, &w.e.Program, x)
		return failed == nil && take()
	})
	if err != nil {
		return fault(ctx, w.e.Kernel.Name, err)
	}
	return failed
}
