package simtc_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/simtc/simtc"
	"github.com/simtc/simtc/launch/native"
)

// On every processor, all queries about a kernel work, and what Available allows runs: launched,
// profiled and tuned. Code for an assumed level is emulated if the processor lacks it.
func TestInstructionSets(t *testing.T) {
	const source = `kernel void collatz(global uint *out) {
	size_t i = get_global_id(0);
	uint n = i + 1, count = 0;
	while (n > 1) {
		n = n & 1 ? 3 * n + 1 : n / 2;
		count++;
	}
	out[i] = count;
}`
	ctx, want := context.Background(), make([]uint32, 100)
	require.NoError(t, compile(t, source, simtc.Options{Strategy: simtc.Strategy{Target: simtc.Interpreter}}).Kernels()[0].Launch(ctx, simtc.NDRange(100), want))
	for _, level := range []native.Level{0, native.V3, native.V4, native.VNNI} {
		for _, o := range []simtc.Options{
			{}, {Strategy: simtc.Strategy{Width: 1}}, {Strategy: simtc.Strategy{Width: 8}}, {Strategy: simtc.Strategy{Width: 8}, Emulate: true}, {Strategy: simtc.Strategy{Target: simtc.AVX512}}, {Strategy: simtc.Strategy{Target: simtc.AVX512, Width: 1}}, {Strategy: simtc.Strategy{Target: simtc.AVX512, Width: 16}}, {Strategy: simtc.Strategy{Target: simtc.AVX2}}, {Strategy: simtc.Strategy{Target: simtc.AVX2, Width: 16}},
			{Strategy: simtc.Strategy{Target: simtc.WASM}}, {Strategy: simtc.Strategy{Target: simtc.WASM, Width: 1}}, {Strategy: simtc.Strategy{Target: simtc.VIR, Width: 4}}, {Strategy: simtc.Strategy{Target: simtc.Interpreter}},
		} {
			t.Run(fmt.Sprintf("level %d %s x%d", level, o.Target, o.Width), func(t *testing.T) {
				defer native.Assume(level)()
				k := compile(t, source, o).Kernels()[0]
				runs := !(o.Target == simtc.AVX512 && level < native.V4 || o.Target == simtc.AVX2 && level < native.V3)
				require.Equal(t, runs, k.Available() == nil)
				_, err := k.Strategy()
				require.NoError(t, err)
				for _, ask := range []func() error{
					func() error { _, err := k.Costs(); return err },
					func() error { _, err := k.Stats(); return err },
					func() error { _, err := k.ABI(); return err },
					func() error { _, err := k.Remarks(); return err },
					func() error { _, err := k.Fastest(); return err },
				} {
					err := ask()
					if runs {
						require.NoError(t, err)
					} else if err != nil {
						require.ErrorIs(t, err, native.ErrUnavailable)
					}
				}
				for _, kind := range simtc.EmitKinds() {
					text, err := k.Emit(kind.Name)
					if kind.Name == "plan" && o.Target == simtc.Interpreter {
						require.Error(t, err)
						continue
					}
					require.NoError(t, err, kind.Name)
					require.NotEmpty(t, text, kind.Name)
				}
				got := make([]uint32, 100)
				launched := k.Launch(ctx, simtc.NDRange(100), got)
				profile, profiled := k.Profile(ctx, simtc.NDRange(100), make([]uint32, 100))
				tuned := k.Tune(ctx, 20*time.Millisecond, simtc.NDRange(100), make([]uint32, 100))
				if !runs {
					for _, err := range []error{k.Build(), launched, profiled} {
						require.ErrorIs(t, err, native.ErrUnavailable)
					}
					return
				}
				require.NoError(t, launched)
				require.NoError(t, profiled)
				require.NoError(t, tuned)
				require.Equal(t, want, got)
				items := uint64(0)
				for _, b := range profile.Blocks {
					items = max(items, b.Lanes)
				}
				require.Greater(t, items, uint64(100))
			})
		}
	}
}
