package launch

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"sort"
	"sync"
	"unsafe"

	"github.com/simtc/simtc/launch/wasmhost"
	wasmsimd "github.com/simtc/simtc/targets/wasm-simd"
	"github.com/simtc/simtc/targets/wasm-simd/wasm"
	"github.com/simtc/simtc/vir"
)

// wasmExecutor runs a WebAssembly module. Buffers are copied into the engine's
// memory before a launch and back after it.
type wasmExecutor struct {
	Program
	module wasmhost.Module
	host   wasmhost.Host
	marks  []wasm.LineMark
	file   string
	shared bool
	spared []bool // arguments whose memory need not be copied back

	mu     sync.Mutex
	idle   []*wasmSession
	closed bool
}

// NewWASM compiles a module that exports the kernel under its name, for a host
// with threads if the memory it imports is shared. file is the name of the
// source that the module's line numbers refer to.
func NewWASM(p Program, host wasmhost.Host, m *wasm.Module, file string) (Executor, error) {
	if m.Memory == nil {
		return nil, errors.New("the module imports no memory")
	}
	code, marks := m.EncodeLines()
	module, err := host.Compile(code)
	if err != nil {
		return nil, err
	}
	return &wasmExecutor{Program: p, module: module, host: host, marks: marks, file: file, shared: m.Memory.Shared, spared: spared(p.Kernel)}, nil
}

// wasmSession is a memory with its instances. One launch at a time uses it.
type wasmSession struct {
	memory    wasmhost.Memory
	instances []wasmhost.Instance
	funcs     []wasmhost.Func
}

func (s *wasmSession) close() error {
	var errs []error
	for _, i := range s.instances {
		errs = append(errs, i.Close())
	}
	return errors.Join(append(errs, s.memory.Close())...)
}

// Close frees the module and the memories that no launch uses.
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
		return nil, fmt.Errorf("the buffers and private memory need %d bytes; WebAssembly has 4 GiB", bytes)
	}
	e.mu.Lock()
	if e.closed {
		e.mu.Unlock()
		return nil, errors.New("the kernel is closed")
	}
	var s *wasmSession
	if n := len(e.idle); n > 0 {
		s, e.idle = e.idle[n-1], e.idle[:n-1]
	}
	e.mu.Unlock()
	if s != nil {
		if err := s.memory.Grow(uint32(pages)); err != nil {
			return nil, errors.Join(err, s.close())
		}
		return s, nil
	}
	m, err := e.host.NewMemory(wasmhost.MemoryType{Min: uint32(pages), Max: wasm.MaxPages, Shared: e.shared})
	if err != nil {
		return nil, err
	}
	return &wasmSession{memory: m}, nil
}

func (e *wasmExecutor) release(s *wasmSession) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.closed || len(e.idle) >= 4 {
		return s.close()
	}
	e.idle = append(e.idle, s)
	return nil
}

// instances makes sure that the session has n instances.
func (e *wasmExecutor) instances(s *wasmSession, n int) error {
	for len(s.instances) < n {
		i, err := e.module.Instantiate(s.memory)
		if err != nil {
			return err
		}
		s.instances = append(s.instances, i)
		f, err := i.Func(e.Kernel.Name)
		if err != nil {
			return err
		}
		s.funcs = append(s.funcs, f)
	}
	return nil
}

// wasmFuel is how many loop iterations pass between two looks at CtxStop.
const wasmFuel = 1 << 14

func (e *wasmExecutor) Profile(ctx context.Context, r Range, args []Arg, threads int) (_ []Count, err error) {
	if !e.shared {
		threads = 1
	}
	if r, err = r.Resolve(e.Kernel.ReqdWorkGroupSize); err != nil {
		return nil, err
	}
	space, err := e.room(r, args)
	if err != nil {
		return nil, err
	}
	threads = space.workers(threads)
	var l arena
	l.next = wasmsimd.Reserved
	contexts := l.take(uint64(threads) * vir.CtxSize)
	scratch := (uint64(space.scratch) + 63) &^ 63
	scratches := l.take(uint64(threads) * scratch)
	l.next = (l.next + localAlign - 1) &^ (localAlign - 1)
	local := (uint64(space.local) + localAlign - 1) &^ (localAlign - 1)
	locals := l.take(uint64(threads) * local)
	counters := uint64(e.counterBytes())
	profiles := l.take(uint64(threads) * counters)
	objects, placed := placeBuffers(&l, args)
	block, err := layOut(e.Kernel, args, func(i int, b []byte) uint64 {
		if i >= 0 {
			return placed[i]
		}
		o := &object{bytes: b, at: l.take(uint64(len(b)))}
		objects = append(objects, o)
		return o.at
	})
	if err != nil {
		return nil, err
	}
	blockAt := l.take(uint64(len(block)))
	table := make(contextBlock, 8*max(len(e.Kernel.Data), 1))
	for i, d := range e.Kernel.Data {
		table.put(8*i, l.take(uint64(len(d.Bytes))))
	}
	tableAt := l.take(uint64(len(table)))

	s, err := e.session(l.next + wasmsimd.Reserved)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, e.release(s)) }()
	memory := s.memory.Bytes()
	for _, o := range objects {
		copy(memory[o.at:], o.bytes)
	}
	copy(memory[blockAt:], block)
	copy(memory[tableAt:], table)
	for i, d := range e.Kernel.Data {
		copy(memory[binary.LittleEndian.Uint64(table[8*i:]):], d.Bytes)
	}

	total := newCounts(&e.Program)
	workers := 0
	var mu sync.Mutex
	err = e.launch(ctx, r, threads, func() (worker, error) {
		mu.Lock()
		defer mu.Unlock()
		i := workers
		workers++
		if err := e.instances(s, i+1); err != nil {
			return nil, err
		}
		at := contexts + uint64(i)*vir.CtxSize
		w := &wasmWorker{e: e, s: s, call: s.funcs[i], at: uint32(at), ctx: contextBlock(memory[at : at+vir.CtxSize])}
		clear(w.ctx)
		w.ctx.put(vir.CtxArgs, blockAt)
		w.ctx.put(vir.CtxData, tableAt)
		w.ctx.put(vir.CtxScratch, scratches+uint64(i)*scratch)
		w.ctx.put(vir.CtxLocal, locals+uint64(i)*local)
		w.ctx.put(vir.CtxFuel, wasmFuel)
		profile := profiles + uint64(i)*counters
		w.ctx.put(vir.CtxProfile, profile)
		w.total, w.counters = total, memory[profile:profile+counters]
		clear(w.counters)
		return w, nil
	})
	for _, o := range objects {
		if o.written(e.spared) {
			copy(o.bytes, memory[o.at:])
		}
	}
	return total.sum, err
}

// arena hands out addresses, each a multiple of 64.
type arena struct{ next uint64 }

func (a *arena) take(n uint64) uint64 {
	at := a.next
	a.next = (at + n + 63) &^ 63
	return at
}

type wasmWorker struct {
	e      *wasmExecutor
	s      *wasmSession
	call   wasmhost.Func
	at     uint32
	ctx    contextBlock
	begun  bool
	cancel func() bool
	told   chan error // gets one value when the code has been told to stop

	counters []byte
	total    *counts
}

func (w *wasmWorker) run(ctx context.Context, r Range, x run) error {
	if !w.begun {
		w.begun = true
		w.ctx.setRange(r)
		if ctx.Done() != nil {
			w.told = make(chan error, 1)
			w.cancel = context.AfterFunc(ctx, func() { w.told <- w.s.memory.StoreUint32(w.at+vir.CtxStop, 1) })
		}
	}
	return x.eachRow(r, func(row run) error {
		w.ctx.setRun(r, row)
		w.ctx.put(vir.CtxStatus, 0)
		if err := w.call.Call(w.at); err != nil {
			return fmt.Errorf("kernel %s: %w", w.e.Kernel.Name, w.e.locate(err))
		}
		if binary.LittleEndian.Uint64(w.ctx[vir.CtxStatus:]) != 0 {
			return context.Cause(ctx)
		}
		return w.ctx.fault(&w.e.Program, row)
	})
}

// done waits for a cancellation under way: it must not write into the memory
// once others use it.
func (w *wasmWorker) done() {
	w.total.add(w.counters)
	if w.cancel != nil && !w.cancel() {
		<-w.told
	}
}

// locate adds the source line to a trap, and to one for want of stack what helps.
func (e *wasmExecutor) locate(err error) error {
	var t *wasmhost.Trap
	if !errors.As(err, &t) {
		return err
	}
	if t.Kind == wasmhost.TrapStackOverflow && e.Width > 1 {
		err = fmt.Errorf("%w: the values of %d work-items take more stack than the engine has; a smaller width needs less", err, e.Width)
	}
	if line := t.Line(e.marks); line > 0 {
		return fmt.Errorf("%s:%d: %w", e.file, line, err)
	}
	return err
}

// object is a stretch of the caller's memory that buffers lie in.
type object struct {
	bytes []byte
	at    uint64 // address in the engine's memory
	args  []int  // the arguments that point into it
}

// written reports whether the kernel may write to the object.
func (o *object) written(spared []bool) bool {
	for _, i := range o.args {
		if !spared[i] {
			return true
		}
	}
	return false
}

// placeBuffers gives every buffer an address. Buffers that share memory share
// it in the engine, too.
func placeBuffers(l *arena, args []Arg) ([]*object, []uint64) {
	var order []int
	for i, a := range args {
		if len(a.Buffer) > 0 {
			order = append(order, i)
		}
	}
	start := func(i int) uintptr { return uintptr(unsafe.Pointer(unsafe.SliceData(args[i].Buffer))) }
	sort.SliceStable(order, func(a, b int) bool { return start(order[a]) < start(order[b]) })
	var objects []*object
	placed := make([]uint64, len(args))
	var base uintptr
	for _, i := range order {
		b := args[i].Buffer
		if n := len(objects); n > 0 && start(i) < base+uintptr(len(objects[n-1].bytes)) {
			o := objects[n-1]
			if end := start(i) - base + uintptr(len(b)); end > uintptr(len(o.bytes)) {
				// Overlapping slices lie in one allocation.
				o.bytes = unsafe.Slice(unsafe.SliceData(o.bytes), end)
			}
			o.args = append(o.args, i)
			continue
		}
		base = start(i)
		objects = append(objects, &object{bytes: b, args: []int{i}})
	}
	for _, o := range objects {
		o.at = l.take(uint64(len(o.bytes)))
		for _, i := range o.args {
			placed[i] = o.at + uint64(start(i)-start(o.args[0]))
		}
	}
	for i, a := range args {
		if a.isBuf && a.Buffer != nil && len(a.Buffer) == 0 {
			placed[i] = l.next // not null, and nothing of anybody's for 64 bytes
			l.take(64)
		}
	}
	return objects, placed
}
