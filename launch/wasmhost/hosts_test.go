package wasmhost_test

import (
	"encoding/binary"
	"errors"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/simtc/simtc/launch/wasmhost"
	"github.com/simtc/simtc/launch/wasmhost/defaulthost"
	"github.com/simtc/simtc/launch/wasmhost/wazerohost"
	"github.com/simtc/simtc/targets/wasm-simd/wasm"
)

// eachHost runs a test on every engine of this build.
func eachHost(t *testing.T, f func(t *testing.T, h wasmhost.Host)) {
	for _, h := range hosts() {
		t.Run(nameOf(h), func(t *testing.T) { f(t, h) })
	}
}

func nameOf(h wasmhost.Host) string {
	if _, ok := h.(optimizing); ok {
		return h.Name() + " optimizing"
	}
	return h.Name()
}

func hosts() []wasmhost.Host {
	hs := []wasmhost.Host{wazerohost.New()}
	if d := defaulthost.New(); d.Name() != "wazero" {
		hs = append(hs, d)
		if o, ok := d.(wasmhost.Optimizer); ok {
			hs = append(hs, optimizing{o})
		}
	}
	return hs
}

// optimizing is a host that always optimizes, so that all tests cover optimized modules.
type optimizing struct{ wasmhost.Optimizer }

func (o optimizing) Compile(code []byte) (wasmhost.Module, error) { return o.Optimize(code) }

// program returns a module with one function (i32) -> (), "main", whose body gen appends.
func program(shared bool, gen func(b *wasm.Builder)) *wasm.Module {
	f := &wasm.Func{Name: "main", Export: "main", Params: []wasm.Local{{Type: wasm.I32, Name: "ctx"}}}
	gen(wasm.NewBuilder(f))
	return &wasm.Module{
		Name:   "test",
		Memory: &wasm.Memory{ImportModule: "env", ImportName: "memory", Max: wasm.MaxPages, HasMax: true, Shared: shared},
		Funcs:  []*wasm.Func{f},
	}
}

// spin loops until the word at 16 is not zero.
func spin(b *wasm.Builder) { spinYielding(b, false) }

// spinner returns a module that spins, yielding if the host requires it.
func spinner(h wasmhost.Host) *wasm.Module {
	m := program(true, func(b *wasm.Builder) { spinYielding(b, h.Yields()) })
	if h.Yields() {
		m.Imports = []wasm.Import{{Module: "host", Name: "yield"}}
	}
	return m
}

func spinYielding(b *wasm.Builder, yield bool) {
	l := b.Loop(wasm.BlockVoid)
	if yield {
		b.Call(0)
	}
	b.I32(0)
	b.Mem(wasm.I32AtomicLoad, 16, 2)
	b.Op(wasm.I32Eqz)
	b.BrIf(l)
	b.End()
}

// addLoop atomically adds 1 to the word at 0, ctx times.
func addLoop(b *wasm.Builder) {
	l := b.Loop(wasm.BlockVoid)
	b.I32(0)
	b.I32(1)
	b.Mem(wasm.I32AtomicRmwAdd, 0, 2)
	b.Op(wasm.Drop)
	b.Get(0)
	b.I32(-1)
	b.Op(wasm.I32Add)
	b.Tee(0)
	b.BrIf(l)
	b.End()
}

type running struct {
	mem  wasmhost.Memory
	mod  wasmhost.Module
	inst wasmhost.Instance
	main wasmhost.Func
}

func start(t testing.TB, h wasmhost.Host, m *wasm.Module, typ wasmhost.MemoryType) running {
	require.NoError(t, m.Validate())
	mod, err := h.Compile(m.Encode())
	require.NoError(t, err)
	mem, err := h.NewMemory(typ)
	require.NoError(t, err)
	inst, err := mod.Instantiate(mem)
	require.NoError(t, err)
	main, err := inst.Func("main")
	require.NoError(t, err)
	t.Cleanup(func() {
		require.NoError(t, inst.Close())
		require.NoError(t, mem.Close())
		require.NoError(t, mod.Close())
	})
	return running{mem, mod, inst, main}
}

func TestMemoryIsSharedWithTheHost(t *testing.T) {
	eachHost(t, func(t *testing.T, h wasmhost.Host) {
		for _, shared := range []bool{false, true} {
			m := program(shared, func(b *wasm.Builder) {
				b.Get(0)
				b.Get(0)
				b.Mem(wasm.V128Load, 0, 4)
				b.Get(0)
				b.Mem(wasm.V128Load, 16, 4)
				b.Op(wasm.I32x4Add)
				b.Mem(wasm.V128Store, 32, 4)
			})
			r := start(t, h, m, wasmhost.MemoryType{Min: 2, Max: 10, Shared: shared})
			require.Len(t, r.mem.Bytes(), 2*wasm.PageSize)
			for i := range 8 {
				binary.LittleEndian.PutUint32(r.mem.Bytes()[1024+4*i:], uint32(100*i+1))
			}
			require.NoError(t, r.main.Call(1024))
			for i := range 4 {
				got := binary.LittleEndian.Uint32(r.mem.Bytes()[1024+32+4*i:])
				require.EqualValues(t, 200*i+402, got)
			}
		}
	})
}

func TestGrow(t *testing.T) {
	eachHost(t, func(t *testing.T, h wasmhost.Host) {
		for _, shared := range []bool{false, true} {
			m := program(shared, func(b *wasm.Builder) {
				b.Get(0)
				b.I32(7)
				b.Mem(wasm.I32Store, 0, 2)
			})
			r := start(t, h, m, wasmhost.MemoryType{Min: 1, Max: 8, Shared: shared})
			r.mem.Bytes()[3] = 42
			first := &r.mem.Bytes()[0]
			require.Error(t, r.main.Call(5*wasm.PageSize))
			require.NoError(t, r.mem.Grow(2))
			other, err := r.mod.Instantiate(r.mem)
			require.NoError(t, err)
			require.NoError(t, other.Close(), "which must not take the memory along")
			require.NoError(t, r.mem.Grow(8))
			require.NoError(t, r.mem.Grow(3))
			require.Len(t, r.mem.Bytes(), 8*wasm.PageSize)
			require.Same(t, first, &r.mem.Bytes()[0], "the memory moved")
			require.EqualValues(t, 42, r.mem.Bytes()[3])
			require.NoError(t, r.main.Call(5*wasm.PageSize))
			require.EqualValues(t, 7, r.mem.Bytes()[5*wasm.PageSize])
			require.ErrorContains(t, r.mem.Grow(9), "cannot grow to 9 pages, its maximum is 8")
		}
	})
}

func TestTraps(t *testing.T) {
	cases := []struct {
		kind wasmhost.TrapKind
		gen  func(b *wasm.Builder)
	}{
		{wasmhost.TrapOutOfBounds, func(b *wasm.Builder) { b.I32(-4); b.Mem(wasm.F32Load, 0, 2); b.Op(wasm.Drop) }},
		{wasmhost.TrapOutOfBounds, func(b *wasm.Builder) { b.I32(-1); b.Mem(wasm.V128Load, 0xFFFFFFFF, 0); b.Op(wasm.Drop) }},
		{wasmhost.TrapUnreachable, func(b *wasm.Builder) { b.Op(wasm.Unreachable) }},
		{wasmhost.TrapDivideByZero, func(b *wasm.Builder) { b.Get(0); b.I32(0); b.Op(wasm.I32DivU, wasm.Drop) }},
		{wasmhost.TrapIntegerOverflow, func(b *wasm.Builder) { b.I32(-1 << 31); b.I32(-1); b.Op(wasm.I32DivS, wasm.Drop) }},
		{wasmhost.TrapBadConversion, func(b *wasm.Builder) { b.F32Bits(0x7FC00000); b.Op(wasm.I32TruncF32S, wasm.Drop) }},
		{wasmhost.TrapMisaligned, func(b *wasm.Builder) { b.I32(2); b.Mem(wasm.I32AtomicLoad, 0, 2); b.Op(wasm.Drop) }},
		{wasmhost.TrapStackOverflow, func(b *wasm.Builder) { b.Get(0); b.Call(0) }},
	}
	eachHost(t, func(t *testing.T, h wasmhost.Host) {
		for _, c := range cases {
			m := program(true, func(b *wasm.Builder) {
				b.Op(wasm.Nop)
				b.Line = 12
				c.gen(b)
				b.Line = 13
				b.Op(wasm.Nop)
			})
			r := start(t, h, m, wasmhost.MemoryType{Min: 1, Shared: true})
			for range 2 { // a trap leaves the instance usable
				err := r.main.Call(0)
				var trap *wasmhost.Trap
				require.ErrorAs(t, err, &trap)
				require.Equal(t, c.kind, trap.Kind, err.Error())
				require.Equal(t, "main", trap.Func)
				require.Equal(t, c.kind.String()+" in main", err.Error())
				if h.Name() == "wasmtime" && c.kind != wasmhost.TrapStackOverflow {
					_, marks := m.EncodeLines()
					require.EqualValues(t, 12, trap.Line(marks), c.kind.String())
				}
			}
		}
	})
}

func TestManyInstancesRunOverOneMemory(t *testing.T) {
	eachHost(t, func(t *testing.T, h wasmhost.Host) {
		const workers, rounds = 4, 20000
		r := start(t, h, program(true, addLoop), wasmhost.MemoryType{Min: 1, Max: 2, Shared: true})
		var wg sync.WaitGroup
		for range workers {
			wg.Add(1)
			go func() {
				defer wg.Done()
				inst, err := r.mod.Instantiate(r.mem)
				if err != nil {
					t.Error(err)
					return
				}
				f, err := inst.Func("main")
				if err == nil {
					err = f.Call(rounds)
				}
				if err = errors.Join(err, inst.Close()); err != nil {
					t.Error(err)
				}
			}()
		}
		wg.Wait()
		require.EqualValues(t, workers*rounds, binary.LittleEndian.Uint32(r.mem.Bytes()))
	})
}

// Code that polls a word ends once another goroutine stores it, and does not block the
// garbage collector meanwhile.
func TestStop(t *testing.T) {
	eachHost(t, func(t *testing.T, h wasmhost.Host) {
		r := start(t, h, spinner(h), wasmhost.MemoryType{Min: 1, Shared: true})
		stored := make(chan error, 1)
		time.AfterFunc(10*time.Millisecond, func() {
			runtime.GC()
			stored <- r.mem.StoreUint32(16, 1)
		})
		require.NoError(t, r.main.Call(0))
		require.NoError(t, <-stored)
		require.NoError(t, r.main.Call(0), "the word is still set")
	})
}

func TestErrors(t *testing.T) {
	eachHost(t, func(t *testing.T, h wasmhost.Host) {
		_, err := h.Compile([]byte("no module"))
		require.ErrorContains(t, err, h.Name())
		require.NotContains(t, err.Error(), "\n")

		bad := program(true, func(b *wasm.Builder) { b.I32(1) })
		_, err = h.Compile(bad.Encode())
		require.ErrorContains(t, err, h.Name())

		for _, typ := range []wasmhost.MemoryType{{Min: 2, Max: 1}, {Min: 65537}, {Max: 65537, Shared: true}} {
			_, err = h.NewMemory(typ)
			require.Error(t, err)
		}

		r := start(t, h, program(true, spin), wasmhost.MemoryType{Min: 1, Shared: true})
		_, err = r.inst.Func("absent")
		require.ErrorContains(t, err, `"absent"`)
		require.Error(t, r.mem.StoreUint32(18, 1))
		require.Error(t, r.mem.StoreUint32(wasm.PageSize, 1))

		plain, err := h.NewMemory(wasmhost.MemoryType{Min: 1})
		require.NoError(t, err)
		defer plain.Close()
		_, err = r.mod.Instantiate(plain)
		if h.Name() == "wasmtime" { // wazero ignores the flag
			require.ErrorContains(t, err, "shared")
		}

		m := program(true, func(b *wasm.Builder) {})
		m.Funcs[0].Results = []wasm.ValType{wasm.I32}
		wasm.NewBuilder(m.Funcs[0]).I32(1)
		mod, err := h.Compile(m.Encode())
		require.NoError(t, err)
		defer mod.Close()
		inst, err := mod.Instantiate(r.mem)
		require.NoError(t, err)
		defer inst.Close()
		_, err = inst.Func("main")
		require.ErrorContains(t, err, "not of type (i32) -> ()")

		for _, other := range hosts() {
			if other.Name() != h.Name() {
				foreign, err := other.NewMemory(wasmhost.MemoryType{Min: 1, Shared: true})
				require.NoError(t, err)
				_, err = r.mod.Instantiate(foreign)
				require.ErrorContains(t, err, "another engine")
				require.NoError(t, foreign.Close())
			}
		}
	})
}

// TestGoFaultsStayGoFaults checks that an engine that handles signals leaves Go's own to Go.
func TestGoFaultsStayGoFaults(t *testing.T) {
	eachHost(t, func(t *testing.T, h wasmhost.Host) {
		r := start(t, h, program(true, func(b *wasm.Builder) { b.I32(-4); b.Mem(wasm.F32Load, 0, 2); b.Op(wasm.Drop) }),
			wasmhost.MemoryType{Min: 1, Shared: true})
		require.Error(t, r.main.Call(0))
		var p *[4096]int
		require.PanicsWithError(t, "runtime error: invalid memory address or nil pointer dereference", func() { p[17]++ })
		require.Error(t, r.main.Call(0))
		runtime.GC()
	})
}

func TestLargestMemory(t *testing.T) {
	if testing.Short() {
		t.Skip("reserves 4 GiB of addresses")
	}
	eachHost(t, func(t *testing.T, h wasmhost.Host) {
		m := program(true, func(b *wasm.Builder) {
			b.I32(-4)
			b.I32(9)
			b.Mem(wasm.I32Store, 0, 2)
		})
		r := start(t, h, m, wasmhost.MemoryType{Min: 1, Max: wasm.MaxPages, Shared: true})
		require.Error(t, r.main.Call(0))
		require.NoError(t, r.mem.Grow(wasm.MaxPages))
		require.Equal(t, uint64(1<<32), uint64(len(r.mem.Bytes())))
		require.NoError(t, r.main.Call(0))
		require.EqualValues(t, 9, r.mem.Bytes()[len(r.mem.Bytes())-4])
	})
}

func TestTrapLine(t *testing.T) {
	marks := []wasm.LineMark{{Offset: 10, Line: 0}, {Offset: 12, Line: 5}, {Offset: 20, Line: 6}}
	for offset, line := range map[uint32]uint32{0: 0, 9: 0, 11: 0, 12: 5, 19: 5, 20: 6, 900: 6} {
		require.Equal(t, line, (&wasmhost.Trap{Offset: offset}).Line(marks))
	}
	require.True(t, strings.HasPrefix((&wasmhost.Trap{Detail: "odd"}).Error(), "odd"))
}
