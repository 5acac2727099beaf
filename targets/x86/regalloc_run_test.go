package x86

import (
	"context"
	"encoding/binary"
	"math/rand"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/simtc/simtc/internal/pass"
	"github.com/simtc/simtc/launch/native"
	"github.com/simtc/simtc/targets/x86/asm"
	"github.com/simtc/simtc/targets/x86/emulate"
	"github.com/simtc/simtc/vir"
)

// TestRandomFunctionsRun executes random functions before allocation, with virtual
// registers, and after it, in the emulator and natively, and compares all memory written.
func TestRandomFunctionsRun(t *testing.T) {
	ok, reason := native.Available(native.V4)
	if !ok {
		t.Logf("NOT TESTED: native code cannot run: %s", reason)
	}
	seeds := 40
	if testing.Short() || !ok {
		seeds = 10
	}
	for i, sh := range shapes {
		for seed := range seeds {
			rng := rand.New(rand.NewSource(int64(seed*1000 + i)))
			f := makeRandom(rng, sh)
			before := f.Clone()
			code, err := Emit(f, "random", &pass.Context{Stats: pass.Stats{}, Verify: true})
			require.NoError(t, err)

			start := make([]byte, resultAt+resultBytes)
			rng.Read(start)
			binary.LittleEndian.PutUint64(start[budgetAt:], uint64(rng.Intn(200)))
			run := func(p *emulate.Program, err error) []byte {
				require.NoError(t, err)
				got := append([]byte(nil), start...)
				runEmulated(t, p, code.SpillBytes, got)
				return got
			}
			constants, err := asm.Assemble(nil, before.Pool, asm.Options{})
			require.NoError(t, err)
			want := run(emulate.Translate(flat(before, nil), constants))
			require.Equal(t, want, run(code.Emulation()), "shape %d seed %d", i, seed)
			if ok {
				got := append([]byte(nil), start...)
				runNative(t, code, got)
				require.Equal(t, want, got, "shape %d seed %d", i, seed)
			}
		}
	}
}

// runEmulated runs code on buffer.
func runEmulated(t *testing.T, p *emulate.Program, spill int, buffer []byte) {
	t.Helper()
	const contextAt, bufferAt, privateAt = 1 << 20, 2 << 20, 3 << 20
	ctx := make([]byte, vir.CtxSize)
	binary.LittleEndian.PutUint64(ctx[vir.CtxArgs:], bufferAt)
	spill = (spill + 63) &^ 63
	binary.LittleEndian.PutUint64(ctx[vir.CtxScratch:], privateAt+uint64(spill))
	m := emulator(t, p, emulate.Region{Address: contextAt, Bytes: ctx}, emulate.Region{Address: bufferAt, Bytes: buffer},
		emulate.Region{Address: privateAt, Bytes: make([]byte, spill)})
	m.SetGPR(asm.RDI.Num(), contextAt)
	require.NoError(t, m.Run(context.Background(), 10_000_000))
}

// runNative runs code on buffer.
func runNative(t *testing.T, code *Code, buffer []byte) {
	t.Helper()
	loaded, err := native.Load(native.Image{Text: code.Bytes, Entries: []int{code.Entry}, Level: native.V4})
	require.NoError(t, err)
	defer func() { require.NoError(t, loaded.Close()) }()
	area := native.NewArea()
	private := native.AlignedBytes((code.SpillBytes+127)&^63, 64)
	var pins native.Pins
	defer pins.Release()
	ctx := make([]byte, vir.CtxSize)
	binary.LittleEndian.PutUint64(ctx[vir.CtxArgs:], uint64(pins.Bytes(buffer)))
	binary.LittleEndian.PutUint64(ctx[vir.CtxScratch:], uint64(pins.Bytes(private))+uint64(len(private)-64))
	require.NoError(t, loaded.Run(context.Background(), 0, pins.Bytes(ctx), area))
}
