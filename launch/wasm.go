package launch

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/simtc/simtc/internal/diag"
	"github.com/simtc/simtc/launch/wasmhost"
	wasmsimd "github.com/simtc/simtc/targets/wasm-simd"
	"github.com/simtc/simtc/targets/wasm-simd/wasm"
	"github.com/simtc/simtc/vir"
)

// wasmExecutor runs a WebAssembly module. Buffers outside the engine's memory are copied
// into it before a launch and back after it.
type wasmExecutor struct {
	Program
	memory *EngineMemory // memory in which buffers may live, or nil
	module wasmhost.Module
	host   wasmhost.Host
	marks  []wasm.LineMark
	places *diag.Places
	shared bool
	rows   bool   // a call runs all rows of a unit
	spared []bool // by argument: its memory is not written and need not be copied back

	mu     sync.Mutex
	idle   []*wasmSession
	closed bool
}

// NewWASM compiles a module that exports the kernel under its name and possibly a function
// that runs several rows of it (wasmsimd.Options.Rows). Launches use several threads if
// the memory that the module imports is shared. places lists the locations to which the
// module's line marks refer. Buffers may live in memory, which may be nil. optimize selects
// the host's own optimizations, if it has any.
func NewWASM(p Program, host wasmhost.Host, memory *EngineMemory, m *wasm.Module, optimize bool, places *diag.Places) (Executor, error) {
	if m.Memory == nil {
		return nil, errors.New("the module imports no memory")
	}
	code, marks := m.EncodeLines()
	compile := host.Compile
	if o, ok := host.(wasmhost.Optimizer); ok && optimize {
		compile = o.Optimize
	}
	module, err := compile(code)
	if err != nil {
		return nil, err
	}
	rows := slices.ContainsFunc(m.Funcs, func(f *wasm.Func) bool { return f.Export == p.Kernel.Name+wasmsimd.RowsSuffix })
	return &wasmExecutor{
		Program: p, memory: memory, module: module, host: host, marks: marks, places: places,
		shared: m.Memory.Shared, rows: rows, spared: spared(p.Kernel),
	}, nil
}

// wasmSession is a memory with its instances, used by one launch at a time.
type wasmSession struct {
	memory    wasmhost.Memory
	borrowed  bool // the memory is an EngineMemory's
	fixed     bool // the memory cannot grow
	instances []wasmhost.Instance
	funcs     []wasmhost.Func
}

func (s *wasmSession) close() error {
	var errs []error
	for _, i := range s.instances {
		errs = append(errs, i.Close())
	}
	if !s.borrowed {
		errs = append(errs, s.memory.Close())
	}
	return errors.Join(errs...)
}

// Close frees the module and all idle memories.
func (e *wasmExecutor) Close() error {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.closed {
		return nil
	}
	e.closed = true
	var errs []error
	for _, s := range e.idle {
		errs = append(errs, s.close())
	}
	e.idle = nil
	return errors.Join(append(errs, e.module.Close())...)
}

// session returns a memory of at least the given size.
func (e *wasmExecutor) session(bytes uint64) (*wasmSession, error) {
	pages := (bytes + wasm.PageSize - 1) / wasm.PageSize
	if pages > wasm.MaxPages {
		return nil, fmt.Errorf("the buffers and private memory need %d bytes, more than WebAssembly's 4 GiB", bytes)
	}
	s, err := e.waiting(false)
	if err != nil {
		return nil, err
	}
	if s != nil {
		err := s.memory.Grow(uint32(pages))
		if err == nil {
			return s, nil
		}
		if err := errors.Join(err, s.close()); !s.fixed {
			return nil, err
		}
	}
	m, err := newMemory(e.host, uint32(pages), wasm.MaxPages, e.shared)
	if err == nil {
		return &wasmSession{memory: m}, nil
	}
	if !errors.Is(err, wasmhost.ErrNoRoom) {
		return nil, err
	}
	if m, err = newMemory(e.host, uint32(pages), uint32(pages), e.shared); err != nil {
		return nil, fmt.Errorf("the buffers and private memory need %d bytes: %w", bytes, err)
	}
	return &wasmSession{memory: m, fixed: true}, nil
}

// maxIdleFixed bounds the size in bytes of a memory that cannot grow and is kept for the
// next launch: address space is scarce where such memories are used.
const maxIdleFixed = 16 << 20

// sessionOver returns a session over the EngineMemory's memory.
func (e *wasmExecutor) sessionOver(memory wasmhost.Memory) (*wasmSession, error) {
	s, err := e.waiting(true)
	if s == nil && err == nil {
		s = &wasmSession{memory: memory, borrowed: true}
	}
	return s, err
}

// waiting removes and returns an idle session, or nil.
func (e *wasmExecutor) waiting(borrowed bool) (*wasmSession, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.closed {
		return nil, errors.New("the kernel is closed")
	}
	i := slices.IndexFunc(e.idle, func(s *wasmSession) bool { return s.borrowed == borrowed })
	if i < 0 {
		return nil, nil
	}
	s := e.idle[i]
	e.idle = slices.Delete(e.idle, i, i+1)
	return s, nil
}

func (e *wasmExecutor) release(s *wasmSession) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.closed || len(e.idle) >= 4 || s.fixed && len(s.memory.Bytes()) > maxIdleFixed {
		return s.close()
	}
	e.idle = append(e.idle, s)
	return nil
}

// instances ensures that the session has n instances.
func (e *wasmExecutor) instances(s *wasmSession, n int) error {
	for len(s.instances) < n {
		i, err := e.module.Instantiate(s.memory)
		if err != nil {
			return err
		}
		s.instances = append(s.instances, i)
		name := e.Kernel.Name
		if e.rows {
			name += wasmsimd.RowsSuffix
		}
		f, err := i.Func(name)
		if err != nil {
			return err
		}
		s.funcs = append(s.funcs, f)
	}
	return nil
}

// wasmFuel is the number of loop iterations between two checks of CtxStop.
const wasmFuel = 1 << 14

func (e *wasmExecutor) Profile(ctx context.Context, r Range, args []Arg, threads int) ([]Count, error) {
	return launchWhole(ctx, e, r, args, threads)
}

// shares reports whether all buffers lie in the engine's memory: copies cannot be shared.
func (e *wasmExecutor) shares(args []Arg) bool {
	return e.shared && !slices.ContainsFunc(args, func(a Arg) bool {
		_, there := e.memory.address(a.Buffer)
		return len(a.Buffer) > 0 && !there
	})
}

// wasmLaunch is the state common to the workers of a launch.
type wasmLaunch struct {
	e       *wasmExecutor
	space   space
	o       *wasmLayout
	s       *wasmSession
	memory  []byte
	threads int
	total   *counts
	release []func() // releases everything but the session

	mu    sync.Mutex
	begun int // workers
}

func (e *wasmExecutor) begin(r Range, args []Arg, threads int) (_ part, err error) {
	if !e.shared {
		threads = 1
	}
	space, err := e.room(r, args)
	if err != nil {
		return nil, err
	}
	l := &wasmLaunch{e: e, space: space, threads: space.workers(threads), total: newCounts(&e.Program)}
	defer func() {
		if err != nil {
			l.letGo()
		}
	}()
	// In a session's own memory, the printf buffer has a fixed address that is used for
	// nothing else: it stays zero except for the records of the last launch.
	const log = wasmsimd.Reserved
	from := (log + logBytes(args) + localAlign - 1) &^ (localAlign - 1)
	if l.o, err = e.layOut(from, log, space, l.threads, args); err != nil {
		return nil, err
	}
	if l.o.inEngine() {
		l.release = append(l.release, e.memory.hold())
		at, err := e.memory.take(l.o.end - from + localAlign)
		if err != nil {
			return nil, err
		}
		l.release = append(l.release, func() { e.memory.give(at) })
		log := uint64(0)
		if n := logBytes(args); n > 0 {
			if log, err = e.memory.takeLog(n); err != nil {
				return nil, err
			}
			l.release = append(l.release, func() { e.memory.giveLog(log) })
		}
		if l.o, err = e.layOut(at, log, space, l.threads, args); err != nil {
			return nil, err
		}
		l.s, err = e.sessionOver(e.memory.mem)
		if err != nil {
			return nil, err
		}
	} else if l.s, err = e.session(l.o.end + wasmsimd.Reserved); err != nil {
		return nil, err
	}
	l.memory = l.s.memory.Bytes()
	l.o.copyIn(l.memory, e)
	return l, nil
}

// logBytes returns the size of the printf buffer, 0 if there is none.
func logBytes(args []Arg) uint64 {
	for _, a := range args {
		if a.log {
			return uint64(len(a.Buffer))
		}
	}
	return 0
}

func (l *wasmLaunch) workers() int     { return l.threads }
func (l *wasmLaunch) counted() []Count { return l.total.sum }

func (l *wasmLaunch) newWorker() (worker, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	e, o, i := l.e, l.o, l.begun
	l.begun++
	if err := e.instances(l.s, i+1); err != nil {
		return nil, err
	}
	at := o.contexts + uint64(i)*vir.CtxSize
	w := &wasmWorker{e: e, s: l.s, call: l.s.funcs[i], at: uint32(at), ctx: contextBlock(l.memory[at : at+vir.CtxSize])}
	clear(w.ctx)
	w.ctx.put(vir.CtxArgs, o.blockAt)
	w.ctx.put(vir.CtxData, o.tableAt)
	w.ctx.put(vir.CtxScratch, o.scratches+uint64(i)*o.scratch)
	w.ctx.put(vir.CtxLocal, o.locals+uint64(i)*o.local)
	w.ctx.put(vir.CtxLocalBytes, uint64(l.space.local))
	w.ctx.put(vir.CtxFuel, wasmFuel)
	profile := o.profiles + uint64(i)*o.counters
	w.ctx.put(vir.CtxProfile, profile)
	w.total, w.counters = l.total, l.memory[profile:profile+o.counters]
	clear(w.counters)
	return w, nil
}

func (l *wasmLaunch) end() error {
	l.o.copyOut(l.memory, l.e)
	null := checkNull(l.memory)
	if null != nil {
		null = faultOf(l.e.Kernel.Name, located(l.e.Kernel.Pos, null)) // the line is unknown: the write did not trap
	}
	err := l.e.release(l.s)
	l.letGo()
	return errors.Join(null, err)
}

// letGo calls the release functions in reverse order.
func (l *wasmLaunch) letGo() {
	for _, f := range slices.Backward(l.release) {
		f()
	}
}

type wasmWorker struct {
	e       *wasmExecutor
	s       *wasmSession
	call    wasmhost.Func
	at      uint32
	ctx     contextBlock
	begun   bool
	cancel  func() bool
	stopped chan error // receives one value when the stop flag is set

	counters []byte
	total    *counts
}

func (w *wasmWorker) run(ctx context.Context, r Range, next func() (run, bool)) error {
	if !w.begun {
		w.begun = true
		w.ctx.setRange(r)
		if ctx.Done() != nil {
			w.stopped = make(chan error, 1)
			w.cancel = context.AfterFunc(ctx, func() { w.stopped <- w.s.memory.StoreUint32(w.at+vir.CtxStop, 1) })
		}
	}
	call := func(x run) error {
		w.ctx.setRun(r, x)
		if w.e.rows {
			w.ctx.put(vir.CtxRows, x.rows)
		}
		w.ctx.put(vir.CtxStatus, 0)
		if err := w.call.Call(w.at); err != nil {
			return fault(ctx, w.e.Kernel.Name, w.e.locate(err))
		}
		if status := binary.LittleEndian.Uint64(w.ctx[vir.CtxStatus:]); status != 0 {
			return located(w.e.places.At(int(status-vir.StatusStopped)), context.Cause(ctx))
		}
		return w.ctx.fault(ctx, &w.e.Program, x)
	}
	if !w.e.rows {
		return rowsOf(next, r, call)
	}
	for x, ok := next(); ok; x, ok = next() {
		if err := call(x); err != nil {
			return err
		}
	}
	return nil
}

// done waits for a cancellation in progress: it must not write to the memory once others
// use it.
func (w *wasmWorker) done() {
	w.total.add(w.counters)
	if w.cancel != nil && !w.cancel() {
		<-w.stopped
	}
}

// locate adds the location to a trap, and advice to a stack overflow.
func (e *wasmExecutor) locate(err error) error {
	var t *wasmhost.Trap
	if !errors.As(err, &t) {
		return err
	}
	if t.Kind == wasmhost.TrapStackOverflow && e.Width > 1 {
		err = fmt.Errorf("%w: the values of %d work-items exceed the engine's stack; use a smaller width", err, e.Width)
	}
	return located(e.places.At(int(t.Line(e.marks))), err)
}
