package avx512

import (
	"context"
	"encoding/binary"
	"math/rand"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/simtc/simtc/launch/native"
	"github.com/simtc/simtc/vir"
)

// TestRandomFunctionsRun executes random functions, after allocation natively
// and before it in the interpreter, and compares all they wrote.
func TestRandomFunctionsRun(t *testing.T) {
	if ok, reason := native.Available(); !ok {
		t.Skipf("SKIPPED: native code cannot run: %s", reason)
	}
	rounds := 40
	if testing.Short() {
		rounds = 10
	}
	for i, sh := range shapes {
		for seed := range rounds {
			rng := rand.New(rand.NewSource(int64(seed*1000 + i)))
			f := makeRandom(rng, sh)
			before := f.clone()
			code, err := emitChecked(f, "random")
			require.NoError(t, err)

			start := make([]byte, resultAt+resultBytes)
			rng.Read(start)
			binary.LittleEndian.PutUint64(start[budgetAt:], uint64(rng.Intn(200)))
			want := machine{buffer: append([]byte(nil), start...)}
			require.True(t, want.run(before, 100_000), "shape %d seed %d does not end", i, seed)

			got := append([]byte(nil), start...)
			runNative(t, code, got)
			require.Equal(t, want.buffer, got, "shape %d seed %d", i, seed)
		}
	}
}

// runNative runs code on buffer.
func runNative(t *testing.T, code *Code, buffer []byte) {
	t.Helper()
	loaded, err := native.Load(native.Image{Text: code.Bytes, Entries: []int{code.Entry}})
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
