package simtc_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/simtc/simtc"
)

const printing = `__kernel void print(int x) { printf("<%d:%d>", x, (int)get_global_id(0)); }`

// Concurrent launches write to one writer without interleaving their outputs; go test -race checks
// this, too.
func TestOneLaunchPrintsAtATime(t *testing.T) {
	var out bytes.Buffer
	p := compile(t, printing, simtc.Options{Strategy: simtc.Strategy{Target: simtc.Interpreter}, Printf: &out})
	k, err := p.Kernel("")
	require.NoError(t, err)
	errs := make([]error, 8)
	var all sync.WaitGroup
	for i := range errs {
		all.Go(func() { errs[i] = k.Launch(context.Background(), simtc.NDRange(2), int32(i)) })
	}
	all.Wait()
	for i, err := range errs {
		require.NoError(t, err)
		require.Equal(t, 1, strings.Count(out.String(), strings.ReplaceAll("<i:0><i:1>", "i", string(rune('0'+i)))))
	}
}

type shortWriter struct{}

func (shortWriter) Write(b []byte) (int, error) { return len(b) / 2, nil }

// A short write without an error is an error of the launch.
func TestPrintfShortWrite(t *testing.T) {
	p := compile(t, printing, simtc.Options{Strategy: simtc.Strategy{Target: simtc.Interpreter}, Printf: shortWriter{}})
	k, err := p.Kernel("")
	require.NoError(t, err)
	require.ErrorIs(t, k.Launch(context.Background(), simtc.NDRange(2), 1), io.ErrShortWrite)
}

// The output of a launch does not depend on what earlier launches printed, lost or left unfinished,
// wherever its other buffers live.
func TestLaunchesReusePrintfBuffers(t *testing.T) {
	const source = `kernel void say(global int *p, int n, int bad) {
	int i = get_global_id(0);
	if (i < n)
		printf("<%d:%d>", i, p[i]);
	if (i == bad)
		*(volatile global int *)0 = 1;
}
kernel void quiet(global int *p, int n, int bad) { p[get_global_id(0)] = n; }`
	ctx := context.Background()
	for _, o := range []simtc.Options{{Strategy: simtc.Strategy{Target: simtc.Interpreter}}, {Strategy: simtc.Strategy{Target: simtc.VIR, Width: 8}}, {Strategy: simtc.Strategy{Target: simtc.WASM, Width: 4}}, {Strategy: simtc.Strategy{Target: simtc.AVX512, Width: 16}, Emulate: simtc.Available(simtc.AVX512) != nil}} {
		for _, own := range []bool{false, true} {
			var out bytes.Buffer
			o.Printf, o.PrintfBytes, o.Threads = &out, 24*400, 1
			p := compile(t, source, o)
			say, err := p.Kernel("say")
			require.NoError(t, err)
			quiet, err := p.Kernel("quiet")
			require.NoError(t, err)
			buffer := make([]byte, 4*1000)
			if own {
				buffer, err = say.Alloc(len(buffer))
				require.NoError(t, err)
			}
			launch := func(n int) string {
				out.Reset()
				require.NoError(t, say.Launch(ctx, simtc.NDRange(1000), simtc.Buffer(buffer), n, -1))
				return out.String()
			}
			text := func(n int) string {
				var b strings.Builder
				for i := range n {
					fmt.Fprintf(&b, "<%d:%d>", i, 77)
				}
				return b.String()
			}
			require.NoError(t, quiet.Launch(ctx, simtc.NDRange(1000), simtc.Buffer(buffer), 77, -1))
			require.Equal(t, text(300), launch(300))
			require.Equal(t, text(1), launch(1))
			require.Contains(t, launch(1000), "records lost; the buffer holds 9600 bytes\n")
			require.Empty(t, launch(0))
			require.Equal(t, text(2), launch(2))
			out.Reset()
			err = say.Launch(ctx, simtc.NDRange(1000), simtc.Buffer(buffer), 100, 3)
			require.Error(t, err)
			require.NotContains(t, out.String(), "lost")
			require.NoError(t, quiet.Launch(ctx, simtc.NDRange(1000), simtc.Buffer(buffer), 77, -1))
			require.Equal(t, text(3), launch(3), "%s own=%v", p.Target(), own)
			require.NoError(t, p.Close())
		}
	}
}

// A launch does not allocate its printf buffer.
func TestLaunchesDoNotAllocatePrintfBuffers(t *testing.T) {
	for _, target := range []string{simtc.Interpreter, simtc.VIR, simtc.WASM} {
		p := compile(t, printing, simtc.Options{Strategy: simtc.Strategy{Target: target}, Printf: io.Discard})
		k, err := p.Kernel("")
		require.NoError(t, err)
		launch := func() { require.NoError(t, k.Launch(context.Background(), simtc.NDRange(2), int32(1))) }
		launch()
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		for range 4 {
			runtime.GC()
			launch()
		}
		runtime.ReadMemStats(&after)
		require.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(4<<20), target)
	}
}
