package simtc_test

import (
	"context"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/simtc/simtc"
)

// Concurrent operations on a kernel share its vector IR and only read it; go test -race checks this.
func TestSharedVectorIR(t *testing.T) {
	const source = `
__kernel void collatz(__global uint *steps, uint off) {
	uint n = get_global_id(0) + 1 + off, k = 0;
	for (; n != 1; k++) {
		switch (n % 8) {
		case 0: n /= 8; break;
		case 2: n /= 2; break;
		case 4: n /= 4; break;
		case 6: n /= 2; break;
		default: n = 3 * n + 1;
		}
	}
	steps[get_global_id(0)] = k;
}`
	for _, target := range []string{simtc.WASM, simtc.AVX512} {
		for range 3 {
			p := compile(t, source, simtc.Options{Strategy: simtc.Strategy{Target: target}, Emulate: target == simtc.AVX512})
			k, err := p.Kernel("")
			require.NoError(t, err)
			launch := func(w simtc.Strategy) error {
				forced, err := k.With(w)
				if err == nil {
					err = forced.Launch(context.Background(), simtc.NDRange(40), make([]uint32, 40), uint32(0))
				}
				return err
			}
			forced := simtc.Strategy{Target: target, Width: 8, Linearizer: simtc.Partial, Bypass: simtc.BypassZeros}
			errs := make([]error, 8)
			var all sync.WaitGroup
			for i, f := range []func() error{
				func() error { return launch(forced) },
				func() error { return launch(simtc.Strategy{Target: target}) },
				func() error { _, err := k.Costs(); return err },
				func() error { _, err := k.Emit(simtc.DefaultEmit(target)); return err },
				func() error { _, err := p.Emit(simtc.DefaultEmit(target)); return err },
				func() error { _, err := k.Remarks(); return err },
				func() error { _, err := k.Stats(); return err },
				func() error { _, err := k.Emit("vir"); return err },
			} {
				all.Go(func() { errs[i] = f() })
			}
			all.Wait()
			for _, err := range errs {
				require.NoError(t, err)
			}
		}
	}
}

// Launches may share buffers that they only read, declared const or not; go test -race checks this.
func TestLaunchesShareWhatTheyRead(t *testing.T) {
	const source = `
__kernel void next(__global int *in, __global int *out) {
	out[get_global_id(0)] = in ? in[get_global_id(0)] + 1 : 0;
}`
	for _, target := range simtc.Targets() {
		p := compile(t, source, simtc.Options{Strategy: simtc.Strategy{Target: target}, Emulate: target == simtc.AVX512})
		k, err := p.Kernel("")
		require.NoError(t, err)
		in := make([]int32, 100)
		errs := make([]error, 4)
		var all sync.WaitGroup
		for i := range errs {
			all.Go(func() {
				out := make([]int32, len(in))
				errs[i] = k.Launch(context.Background(), simtc.NDRange(uint64(len(in))), in, out)
				if out[99] != 1 {
					t.Errorf("%s: %d", target, out[99])
				}
			})
		}
		all.Wait()
		for _, err := range errs {
			require.NoError(t, err)
		}
	}
}
