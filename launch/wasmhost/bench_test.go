package wasmhost_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/simtc/simtc/launch/wasmhost"
	"github.com/simtc/simtc/targets/wasm-simd/wasm"
)

func eachBench(b *testing.B, f func(b *testing.B, h wasmhost.Host)) {
	for _, h := range hosts() {
		b.Run(h.Name(), func(b *testing.B) { f(b, h) })
	}
}

func BenchmarkCall(b *testing.B) {
	eachBench(b, func(b *testing.B, h wasmhost.Host) {
		r := start(b, h, program(true, func(*wasm.Builder) {}), wasmhost.MemoryType{Min: 1, Shared: true})
		for b.Loop() {
			require.NoError(b, r.main.Call(0))
		}
	})
}

// long returns a function of n dependent vector operations.
func long(n int) *wasm.Module {
	return program(true, func(b *wasm.Builder) {
		var v [8]uint32
		for i := range v {
			v[i] = b.Local(wasm.V128, "")
			b.Get(0)
			b.Mem(wasm.V128Load, uint32(16*i), 4)
			b.Set(v[i])
		}
		ops := []wasm.Op{wasm.F32x4Add, wasm.F32x4Mul, wasm.I32x4Add, wasm.V128Xor, wasm.F32x4Lt, wasm.I32x4Mul}
		for i := range n {
			b.Get(v[i%8])
			b.Get(v[(i*5+3)%8])
			b.Op(ops[i%len(ops)])
			b.Set(v[(i+1)%8])
		}
		for i := range v {
			b.Get(0)
			b.Get(v[i])
			b.Mem(wasm.V128Store, uint32(16*i), 4)
		}
	})
}

func BenchmarkCompile(b *testing.B) {
	eachBench(b, func(b *testing.B, h wasmhost.Host) {
		for _, n := range []int{10, 1000, 40000} {
			b.Run(fmt.Sprint(n), func(b *testing.B) {
				i := 0
				for b.Loop() {
					m := long(n)
					m.Name = fmt.Sprint(i) // engines may cache equal modules
					mod, err := h.Compile(m.Encode())
					require.NoError(b, err)
					require.NoError(b, mod.Close())
					i++
				}
			})
		}
	})
}

func BenchmarkInstantiate(b *testing.B) {
	eachBench(b, func(b *testing.B, h wasmhost.Host) {
		r := start(b, h, long(10), wasmhost.MemoryType{Min: 1, Shared: true})
		for b.Loop() {
			inst, err := r.mod.Instantiate(r.mem)
			require.NoError(b, err)
			require.NoError(b, inst.Close())
		}
	})
}

// BenchmarkLoop repeatedly sums 64 KiB of floats. It shows the cost of bounds checks and of
// polling a stop flag in every iteration.
func BenchmarkLoop(b *testing.B) {
	eachBench(b, func(b *testing.B, h wasmhost.Host) {
		for _, shared := range []bool{false, true} {
			for _, poll := range []bool{false, true} {
				b.Run(fmt.Sprintf("shared=%v/poll=%v", shared, poll), func(b *testing.B) {
					m := program(shared, func(w *wasm.Builder) { sumLoop(w, poll, shared) })
					r := start(b, h, m, wasmhost.MemoryType{Min: 2, Shared: shared})
					b.SetBytes(wasm.PageSize)
					for b.Loop() {
						require.NoError(b, r.main.Call(0))
					}
				})
			}
		}
	})
}

func sumLoop(b *wasm.Builder, poll, atomic bool) {
	at, acc, fuel := b.Local(wasm.I32, "at"), b.Local(wasm.V128, "acc"), b.Local(wasm.I32, "fuel")
	b.I32(1 << 20)
	b.Set(fuel)
	out := b.Block(wasm.BlockVoid)
	loop := b.Loop(wasm.BlockVoid)
	b.Get(acc)
	b.Get(at)
	b.Mem(wasm.V128Load, 1024, 4)
	b.Op(wasm.F32x4Add)
	b.Set(acc)
	if poll {
		b.Get(fuel)
		b.I32(1)
		b.Op(wasm.I32Sub)
		b.Tee(fuel)
		b.Op(wasm.I32Eqz)
		b.If(wasm.BlockVoid)
		b.I32(16)
		if atomic {
			b.Mem(wasm.I32AtomicLoad, 0, 2)
		} else {
			b.Mem(wasm.I32Load, 0, 2)
		}
		b.BrIf(out)
		b.I32(1 << 20)
		b.Set(fuel)
		b.End()
	}
	b.Get(at)
	b.I32(16)
	b.Op(wasm.I32Add)
	b.Tee(at)
	b.I32(wasm.PageSize)
	b.Op(wasm.I32LtU)
	b.BrIf(loop)
	b.End()
	b.End()
	b.I32(0)
	b.Get(acc)
	b.Mem(wasm.V128Store, 32, 4)
}
