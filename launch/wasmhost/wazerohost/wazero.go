// Package wazerohost runs WebAssembly in wazero, which is pure Go: no cgo, any platform of
// Go. It has no relaxed SIMD.
//
// It must be free of knowledge of the code's purpose and of other engines.
package wazerohost

import (
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/experimental"

	"github.com/simtc/simtc/launch/wasmhost"
	"github.com/simtc/simtc/targets/wasm-simd/wasm"
)

type host struct{ rt wazero.Runtime }

// New returns the host. All hosts of a process share one engine and its compilation cache.
var New = sync.OnceValue(func() wasmhost.Host {
	config := wazero.NewRuntimeConfig().
		WithCoreFeatures(api.CoreFeaturesV2 | experimental.CoreFeaturesThreads)
	rt := wazero.NewRuntimeWithConfig(context.Background(), config)
	_, err := rt.NewHostModuleBuilder("host").NewFunctionBuilder().
		WithGoFunction(api.GoFunc(func(context.Context, []uint64) { runtime.Gosched() }), nil, nil).
		Export("yield").Instantiate(context.Background())
	if err != nil {
		// The only module of this name in a new runtime.
		panic("wazero: cannot make the host's own module: " + err.Error())
	}
	return &host{rt}
})

func (h *host) Name() string            { return "wazero" }
func (h *host) Features() wasm.Features { return wasm.Threads }

func (h *host) Yields() bool { return true }

func (h *host) Compile(code []byte) (wasmhost.Module, error) {
	c, err := h.rt.CompileModule(context.Background(), code)
	if err != nil {
		return nil, fmt.Errorf("wazero: %w", err)
	}
	m := &module{h: h, code: c}
	m.freed = runtime.AddCleanup(m, func(c wazero.CompiledModule) { _ = c.Close(context.Background()) }, c)
	return m, nil
}

func (h *host) NewMemory(t wasmhost.MemoryType) (wasmhost.Memory, error) {
	if err := t.Check(); err != nil {
		return nil, err
	}
	room, err := roomFor(t)
	if err != nil {
		return nil, fmt.Errorf("a WebAssembly memory of %d pages: %w", t.Maximum(), err)
	}
	ctx := experimental.WithMemoryAllocator(context.Background(), experimental.MemoryAllocatorFunc(
		func(_, _ uint64) experimental.LinearMemory { return room }))
	c, err := h.rt.CompileModule(ctx, t.Exporter())
	if err != nil {
		room.release()
		return nil, fmt.Errorf("wazero: %w", err)
	}
	owner, err := h.rt.InstantiateModule(ctx, c, wazero.NewModuleConfig().WithName(""))
	if err != nil {
		room.release()
		return nil, errors.Join(fmt.Errorf("wazero: %w", err), c.Close(ctx))
	}
	m := &memory{mapping: mapping{owner, c, room}, mem: owner.ExportedMemory("memory"), limit: t.Maximum(), turn: new(sync.Mutex)}
	m.freed = runtime.AddCleanup(m, func(p mapping) { _ = p.close() }, m.mapping)
	return m, nil
}

// roomFor reserves the maximum of a memory, so that it never moves, and makes the minimum
// accessible.
func roomFor(t wasmhost.MemoryType) (*linear, error) {
	size := uint64(t.Maximum()) * wasm.PageSize
	if size > math.MaxInt || !overcommits && t.Maximum() > t.Min {
		return nil, wasmhost.ErrNoRoom
	}
	room, err := reserve(size)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", wasmhost.ErrNoRoom, err)
	}
	if size > 0 && room.Reallocate(uint64(t.Min)*wasm.PageSize) == nil {
		room.release()
		return nil, errors.New("not enough memory")
	}
	return room, nil
}

// Unclosed objects are closed by the garbage collector, here and below, in any order, but
// not before the last function is unreachable.

// mapping holds the resources of a memory in the engine and the system.
type mapping struct {
	owner api.Module
	code  wazero.CompiledModule
	room  *linear
}

func (p mapping) close() error {
	ctx := context.Background()
	err := errors.Join(p.owner.Close(ctx), p.code.Close(ctx))
	p.room.release()
	return err
}

type memory struct {
	mapping
	mem   api.Memory
	limit uint32
	freed runtime.Cleanup

	// The engine drops a memory's allocator when an instance that imports it closes, so
	// closing and growing exclude each other.
	turn *sync.Mutex
}

func (m *memory) Bytes() []byte {
	// A memory of 4 GiB has a size that does not fit into 32 bits.
	pages, _ := m.mem.Grow(0)
	if pages == 0 {
		return nil
	}
	first, _ := m.mem.Read(0, 1)
	return unsafe.Slice(&first[0], uint64(pages)*wasm.PageSize)
}

func (m *memory) Grow(pages uint32) error {
	m.turn.Lock()
	defer m.turn.Unlock()
	now, _ := m.mem.Grow(0)
	if pages <= now {
		return nil
	}
	if pages > m.limit {
		return fmt.Errorf("wasm memory cannot grow to %d pages, its maximum is %d", pages, m.limit)
	}
	// The engine may have dropped the allocator (see turn); it then treats the whole
	// reservation as usable.
	if m.room.Reallocate(uint64(pages)*wasm.PageSize) == nil {
		return fmt.Errorf("not enough memory for a WebAssembly memory of %d pages", pages)
	}
	if _, ok := m.mem.Grow(pages - now); !ok {
		return fmt.Errorf("the engine cannot grow a wasm memory to %d pages", pages)
	}
	return nil
}

func (m *memory) StoreUint32(addr, value uint32) error {
	b := m.Bytes()
	if addr%4 != 0 || uint64(addr)+4 > uint64(len(b)) {
		return fmt.Errorf("wasm memory has no word at 0x%x", addr)
	}
	atomic.StoreUint32((*uint32)(unsafe.Pointer(&b[addr])), value)
	return nil
}

func (m *memory) Close() error {
	m.freed.Stop()
	return m.mapping.close()
}

type module struct {
	h     *host
	code  wazero.CompiledModule
	freed runtime.Cleanup
}

func (m *module) Instantiate(mem wasmhost.Memory) (wasmhost.Instance, error) {
	wm, ok := mem.(*memory)
	if !ok {
		return nil, errors.New("wazero: the memory belongs to another engine")
	}
	owner := wm.owner
	ctx := experimental.WithImportResolver(context.Background(), func(name string) api.Module {
		if name == "env" {
			return owner
		}
		return nil // "host" is bound by its name
	})
	// Without a name, any number of instances can be alive.
	i, err := m.h.rt.InstantiateModule(ctx, m.code, wazero.NewModuleConfig().WithName("").WithStartFunctions())
	if err != nil {
		return nil, fmt.Errorf("wazero: %w", err)
	}
	in := &instance{bound: bound{i, wm.turn}, mem: wm, of: m}
	in.freed = runtime.AddCleanup(in, func(b bound) { _ = b.close() }, in.bound)
	return in, nil
}

func (m *module) Close() error {
	m.freed.Stop()
	return m.code.Close(context.Background())
}

// bound holds the resources of an instance in the engine.
type bound struct {
	mod  api.Module
	turn *sync.Mutex // the memory's
}

func (b bound) close() error {
	b.turn.Lock()
	defer b.turn.Unlock()
	return b.mod.Close(context.Background())
}

// instance keeps the memory and the module of its code reachable.
type instance struct {
	bound
	mem   *memory
	of    *module
	freed runtime.Cleanup
}

func (i *instance) Func(name string) (wasmhost.Func, error) {
	f := i.mod.ExportedFunction(name)
	if f == nil {
		return nil, fmt.Errorf("wasm module exports no function %q", name)
	}
	d := f.Definition()
	if p := d.ParamTypes(); len(p) != 1 || p[0] != api.ValueTypeI32 || len(d.ResultTypes()) != 0 {
		return nil, fmt.Errorf("wasm function %q is not of type (i32) -> ()", name)
	}
	return &function{in: i, f: f, name: d.Name()}, nil
}

func (i *instance) Close() error {
	i.freed.Stop()
	return i.bound.close()
}

type function struct {
	in    *instance
	f     api.Function
	name  string
	stack [1]uint64
}

func (f *function) Call(arg uint32) error {
	defer runtime.KeepAlive(f)
	f.stack[0] = api.EncodeU32(arg)
	if err := f.f.CallWithStack(context.Background(), f.stack[:]); err != nil {
		return trap(err, f.name)
	}
	return nil
}

// kinds maps the engine's messages to kinds, because its error values are internal.
var kinds = map[string]wasmhost.TrapKind{
	"out of bounds memory access":   wasmhost.TrapOutOfBounds,
	"unreachable":                   wasmhost.TrapUnreachable,
	"unaligned atomic":              wasmhost.TrapMisaligned,
	"integer divide by zero":        wasmhost.TrapDivideByZero,
	"integer overflow":              wasmhost.TrapIntegerOverflow,
	"invalid conversion to integer": wasmhost.TrapBadConversion,
	"stack overflow":                wasmhost.TrapStackOverflow,
}

// trap converts "wasm error: REASON\nwasm stack trace:\n\tMODULE.FUNC(…)" to a Trap. From
// the trace it extracts only the name of the innermost function.
func trap(err error, name string) error {
	text := err.Error()
	reason, trace, _ := strings.Cut(text, "\n")
	reason = strings.TrimPrefix(reason, "wasm error: ")
	if _, frames, ok := strings.Cut(trace, "\n\t"); ok {
		if at, _, ok := strings.Cut(frames, "("); ok {
			if dot := strings.IndexByte(at, '.'); dot >= 0 && at[dot+1:] != "" {
				name = at[dot+1:]
			}
		}
	}
	return &wasmhost.Trap{Kind: kinds[reason], Func: name, Detail: reason}
}
