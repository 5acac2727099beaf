package utest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"regexp"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/simtc/simtc"
)

// faultWays returns every target with its smallest, its usual and its largest width.
func faultWays() []simtc.Strategy {
	return []simtc.Strategy{
		{Target: simtc.Interpreter},
		{Target: simtc.VIR, Width: 1}, {Target: simtc.VIR, Width: 16},
		{Target: simtc.AVX512, Width: 1}, {Target: simtc.AVX512, Width: 16}, {Target: simtc.AVX512, Width: 64},
		{Target: simtc.AVX2, Width: 1}, {Target: simtc.AVX2, Width: 8}, {Target: simtc.AVX2, Width: 32},
		{Target: simtc.WASM, Width: 1}, {Target: simtc.WASM, Width: 4}, {Target: simtc.WASM, Width: 16},
	}
}

// eachWay compiles a source with one kernel and calls f with every strategy. All kernels
// of a source are compiled once.
func eachWay(t *testing.T, source string, ws []simtc.Strategy, f func(t *testing.T, w simtc.Strategy, k *simtc.Kernel)) {
	p, err := simtc.Compile(source, simtc.Options{File: "fault.cl", Threads: 3, Debug: simtc.Debug{EmulateMissing: true, Verify: true}})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, p.Close()) })
	one, err := p.Kernel("")
	require.NoError(t, err)
	for _, w := range ws {
		t.Run(w.String(), func(t *testing.T) {
			need(t, w.Target)
			k, err := one.With(w)
			require.NoError(t, err)
			f(t, w, k)
		})
	}
}

// memoryFault matches the message of a memory fault of a strategy's code. Missing
// instructions are emulated; code for one lane may do without them and then runs natively.
func memoryFault(w simtc.Strategy) *regexp.Regexp {
	const emulated, native = "emulated code: ", "memory fault at "
	text := native
	switch {
	case w.Target == simtc.Interpreter || w.Target == simtc.VIR:
		text = "invalid "
	case w.Target == simtc.WASM:
		text = "out of bounds memory access in "
	case simtc.Available(w.Target) != nil && w.Width == 1:
		text = emulated + "|" + native
	case simtc.Available(w.Target) != nil:
		text = emulated
	}
	return regexp.MustCompile(text)
}

// TestMemoryFaults checks that an access to unmapped memory ends the launch with an error
// that names the kernel and the fault, and that the kernel can be launched again.
func TestMemoryFaults(t *testing.T) {
	// The accesses depend on memory contents; otherwise launches would reject them in
	// advance.
	cases := []struct{ name, body string }{
		{"write", "if (on) out[i + (1L << 40) + (1 << 29)] = i;"},
		{"read", "out[i] = on ? out[i + (1L << 40) + (1 << 29)] : 1;"},
		{"before", "if (on) out[(long)i - (1L << 41) - (1 << 29)] = i;"},
		{"gather", "out[i] = on ? out[(1L << 40) + (1 << 29) + (out[i] & 1) * 3L * i] : 1;"},
		{"scatter", "if (on) out[(1L << 40) + (1 << 29) + (i * 7 ^ i >> 3)] = i;"},
		{"uniform", "out[i] = on ? out[(1L << 40) + (1 << 29)] : 1;"},
		{"vector", "if (on) ((__global int4 *)out)[i + (1L << 40) + (1 << 27)] = i;"},
		{"byte", "if (on) ((__global uchar *)out)[i * 5L + (1L << 40) + (1u << 31)] = i;"},
		{"double", "if (on) ((__global double *)out)[i + (1L << 40) + (1 << 28)] = i;"},
		{"one_lane", "if (on && i == 77) out[i + (1L << 40) + (1 << 29)] = i;"},
		{"in_loop", "for (int j = 0; j < 100; j++) if (on && j * i == 77 * 13) out[j + (1L << 40) + (1 << 29)] += i;"},
		{"atomic", "if (on) atomic_add(&out[i + (1L << 40) + (1 << 29)], i);"},
		{"atomic_at_one", "if (on) out[i] = atomic_max(&out[(1L << 40) + (1 << 29)], i);"},
		{"exchange", "if (on && i % 3 == 0) out[i] = atomic_cmpxchg(&out[(i ^ 5) + (1L << 40) + (1 << 29)], i, 1);"},
		{"noncanonical", "if (on) out[i + (1L << 60) + (1 << 29)] = i;"},
		{"last_address", "if (on) *(__global int *)(~0UL - 3 - 4 * (ulong)i) = i;"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			source := "__kernel void wild(__global int *out, __global const int *flag) {\n  int i = get_global_id(0), on = *flag;\n  " + c.body + "\n}\n"
			eachWay(t, source, faultWays(), func(t *testing.T, w simtc.Strategy, k *simtc.Kernel) {
				out := make([]int32, 1000)
				for range 2 {
					err := k.Launch(context.Background(), simtc.NDRange(1000), out, []int32{1})
					require.ErrorContains(t, err, "kernel wild")
					require.Regexp(t, memoryFault(w), err)
					require.NotContains(t, err.Error(), "\n")
					require.NoError(t, k.Launch(context.Background(), simtc.NDRange(1000), out, []int32{0}))
				}
			})
		})
	}
}

// TestNullPointer checks that an access through a null argument gives an error that names
// the parameter.
func TestNullPointer(t *testing.T) {
	for name, body := range map[string]string{
		"write": "p[i] = i;", "zero": "p[i] = 0;", "read": "out[i] = p[i];", "uniform": "out[i] = p[3];", "field": "p[1000 - i] = out[i];",
		"data": "if (out[i] == 0) p[i] = 1;",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			source := "__kernel void null(__global int *out, __global int *p) {\n  int i = get_global_id(0);\n  " + body + "\n}\n"
			eachWay(t, source, faultWays(), func(t *testing.T, w simtc.Strategy, k *simtc.Kernel) {
				out := make([]int32, 1000)
				err := k.Launch(context.Background(), simtc.NDRange(1000), out, nil)
				require.ErrorContains(t, err, "kernel null: fault.cl:3:")
				require.ErrorContains(t, err, "of 4 bytes through the null pointer passed for parameter 'p'; work-item (")
				var fault *simtc.Fault
				require.ErrorAs(t, err, &fault)
				require.NoError(t, k.Launch(context.Background(), simtc.NDRange(1000), out, make([]int32, 1001)), "the kernel must run after a fault")
			})
		})
	}
}

// TestMadeNullPointer checks null pointers that do not come from an argument. Native code
// and the interpreters fault. WebAssembly has memory at address 0, whose first page is
// reserved: writes there are reported at the end of the launch; reads give arbitrary
// values.
func TestMadeNullPointer(t *testing.T) {
	for name, body := range map[string]string{
		"write": "p[i] = i;", "zero": "p[i] = 0;", "read": "out[i] = p[i];", "uniform": "out[i] = p[3];", "field": "p[1000 - i] = out[i];",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			source := "__kernel void null(__global int *out, __global const ulong *at) {\n  int i = get_global_id(0);\n  __global int *p = (__global int *)at[0];\n  " + body + "\n}\n"
			eachWay(t, source, faultWays(), func(t *testing.T, w simtc.Strategy, k *simtc.Kernel) {
				out := make([]int32, 1000)
				err := k.Launch(context.Background(), simtc.NDRange(1000), out, make([]uint64, 1))
				switch {
				case w.Target != simtc.WASM:
					require.ErrorContains(t, err, "kernel null")
					require.Regexp(t, memoryFault(w), err)
				case name == "write" || name == "zero" || name == "field":
					require.ErrorContains(t, err, "kernel null: fault.cl:1:15: invalid write at an address below 4096, through a null pointer")
					var fault *simtc.Fault
					require.ErrorAs(t, err, &fault)
				default:
					require.NoError(t, err)
				}
			})
		})
	}
}

// TestEndlessLoop checks that canceling the context soon ends every loop, whichever lanes
// run it.
func TestEndlessLoop(t *testing.T) {
	// The volatile accesses and the value of one prevent the loops from being removed.
	for name, body := range map[string]string{
		"all":       "while (one) out[i]++;",
		"one_lane":  "while (one && i == 501) out[i]++;",
		"compute":   "uint x = i; while (one) x = x * 3 + one; out[i] = x;",
		"goto":      "again: out[i] += one; if (out[i] != 0 || one) goto again;",
		"nested":    "for (;;) { for (int j = 0; j < i; j++) out[i] ^= j; if (!one) break; }",
		"wait":      "volatile __global int *p = out; while (p[0] == 0) if (!one) break;",
		"atomic":    "while (one) atomic_inc(&out[i & 7]);",
		"lock":      "while (one && atomic_cmpxchg(out, 0, 2) != 0) {}", // nobody unlocks it
		"divergent": "while (one) { if (out[i] & 1) continue; out[i] += i & 1; }",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			source := "__kernel void forever(__global int *out, int one) {\n  int i = get_global_id(0);\n  " + body + "\n}\n"
			eachWay(t, source, faultWays(), func(t *testing.T, w simtc.Strategy, k *simtc.Kernel) {
				require.NoError(t, k.Build())
				out := make([]int32, 1000)
				why := errors.New("enough of this")
				ctx, cancel := context.WithTimeoutCause(context.Background(), 15*time.Millisecond, why)
				defer cancel()
				err := k.Launch(ctx, simtc.NDRange(1000), out, 1)
				require.Error(t, err)
				require.True(t, errors.Is(err, why) || errors.Is(err, context.DeadlineExceeded), "%v", err)

				clear(out)
				err = k.Launch(ctx, simtc.NDRange(1000), out, 0)
				require.Error(t, err, "the context ended before the launch")
				if name != "wait" {
					require.NoError(t, k.Launch(context.Background(), simtc.NDRange(1000), out, 0), "the kernel must run after it was stopped")
				}
			})
		})
	}
}

// TestMaxSteps checks the step limit of the interpreters.
func TestMaxSteps(t *testing.T) {
	for _, target := range []string{simtc.Interpreter, simtc.VIR} {
		p, err := simtc.Compile("__kernel void forever(__global int *out) { while (out[0] == 0) ; }\n",
			simtc.Options{Strategy: simtc.Strategy{Target: target}, MaxSteps: 10000})
		require.NoError(t, err)
		k, err := p.Kernel("forever")
		require.NoError(t, err)
		err = k.Launch(context.Background(), simtc.NDRange(10), []int32{0})
		require.ErrorContains(t, err, "kernel forever", target)
		require.ErrorContains(t, err, "step", target)
		require.NoError(t, k.Launch(context.Background(), simtc.NDRange(10), []int32{1}), target)
	}
}

// TestDivision checks that division by zero and overflow have defined results that are
// the same on every target, in active and inactive lanes.
func TestDivision(t *testing.T) {
	types := []struct {
		name string
		min  string
	}{{"char", "-128"}, {"uchar", "0"}, {"short", "-32768"}, {"ushort", "0"}, {"int", "-2147483647 - 1"}, {"uint", "0"},
		{"long", "-9223372036854775807L - 1"}, {"ulong", "0"}}
	for _, typ := range types {
		t.Run(typ.name, func(t *testing.T) {
			t.Parallel()
			source := strings.NewReplacer("TYPE", typ.name, "MIN", typ.min).Replace(`
__kernel void divide(__global long *out) {
  int i = get_global_id(0);
  TYPE a = i % 3 == 0 ? (TYPE)(MIN) : (TYPE)(i * 2654435761u);
  TYPE b = i % 5 == 0 ? 0 : i % 7 == 0 ? (TYPE)-1 : (TYPE)(i - 100);
  TYPE q = a / b, r = a % b;
  if (i & 1) { // the inactive lanes must not divide
    q ^= b / (TYPE)(i & 1);
    r ^= a / (TYPE)(i & 1 ? i % 4 : 0);
  }
  out[2 * i] = q;
  out[2 * i + 1] = r;
}
`)
			var want []int64
			eachWay(t, source, append(faultWays(), simtc.Strategy{Target: simtc.AVX512, Width: 32}, simtc.Strategy{Target: simtc.WASM, Width: 8}), func(t *testing.T, w simtc.Strategy, k *simtc.Kernel) {
				out := make([]int64, 2000)
				require.NoError(t, k.Launch(context.Background(), simtc.NDRange(1000), out))
				if want == nil {
					want = out
					for i := range 1000 {
						if i%15 == 0 && i%2 == 0 { // MIN / 0 gives the same as MIN / 1
							require.Zero(t, out[2*i+1], "item %d", i)
						}
					}
				}
				require.Equal(t, want, out)
			})
		})
	}
}

// TestPrivateMemory checks that work-items can have megabytes of private memory, and that
// exceeding the available memory is an error and does not end the process.
func TestPrivateMemory(t *testing.T) {
	source := func(bytes int) string {
		return fmt.Sprintf(`
__kernel void large(__global uint *out) {
  uint i = get_global_id(0);
  uint a[%d];
  for (uint j = 0; j < 64; j++)
    a[j * 997 %% %[1]d] = i * j;
  uint sum = 0;
  for (uint j = 0; j < 64; j++)
    sum = sum * 31 + a[(j + i) %% 64 * 997 %% %[1]d];
  out[i] = sum;
}
`, bytes/4)
	}
	for _, kib := range []int{64, 1 << 10, 8 << 10} {
		t.Run(fmt.Sprintf("%dKiB", kib), func(t *testing.T) {
			var want []uint32
			ws := faultWays()
			if kib >= 8<<10 {
				ws = []simtc.Strategy{{Target: simtc.Interpreter}, {Target: simtc.AVX512, Width: 16}, {Target: simtc.WASM, Width: 4}}
			}
			eachWay(t, source(kib<<10), ws, func(t *testing.T, w simtc.Strategy, k *simtc.Kernel) {
				out := make([]uint32, 70)
				require.NoError(t, k.Launch(context.Background(), simtc.NDRange(70), out))
				if want == nil {
					want = out
				}
				require.Equal(t, want, out)
			})
			runtime.GC()
		})
	}
	t.Run("too_much", func(t *testing.T) {
		for _, log := range []int{27, 30, 33} {
			bytes := 1 << log
			_, err := simtc.Compile(source(bytes), simtc.Options{})
			require.ErrorContains(t, err, "kernel.cl:4:8:", "%d bytes", bytes)
		}
		// The private memory of one work-item is too large for 64 at a time, and that of
		// 16 is too large for 64 threads; fewer are used then.
		p, err := simtc.Compile(source(60<<20), simtc.Options{Debug: simtc.Debug{EmulateMissing: true}, Threads: 64})
		require.NoError(t, err)
		for _, c := range []struct {
			simtc.Strategy
			fits bool
		}{{simtc.Strategy{Target: simtc.AVX512, Width: 64}, false}, {simtc.Strategy{Target: simtc.VIR, Width: 64}, false}, {simtc.Strategy{Target: simtc.AVX512, Width: 16}, true}, {simtc.Strategy{Target: simtc.WASM, Width: 4}, true}} {
			if !runsHere(c.Target) {
				continue
			}
			k, err := p.Kernels()[0].With(c.Strategy)
			require.NoError(t, err)
			out := make([]uint32, 1<<12)
			err = k.Launch(context.Background(), simtc.NDRange(uint64(len(out))), out)
			if c.fits {
				require.NoError(t, err, c.String())
				require.NotZero(t, out[len(out)-1])
			} else {
				require.ErrorContains(t, err, "kernel large", c.String())
				require.ErrorContains(t, err, "bytes of private memory", c.String())
			}
		}
		require.NoError(t, p.Close())
	})
}

// TestManyFaults launches kernels that fault on all threads, next to others that must not
// be affected.
func TestManyFaults(t *testing.T) {
	const source = `
__kernel void half_wild(__global int *out, int on) {
  int i = get_global_id(0);
  __global int *p = on && i % 3 == 1 ? (__global int *)(-64L) : out + i;
  *p = i;
}
`
	eachWay(t, source, []simtc.Strategy{{Target: simtc.AVX512, Width: 16}, {Target: simtc.WASM, Width: 4}}, func(t *testing.T, w simtc.Strategy, k *simtc.Kernel) {
		require.NoError(t, k.Build())
		rounds := 200
		if w.Target == simtc.WASM {
			rounds = 20
		}
		done := make(chan error, 4)
		for g := range 4 {
			go func() {
				out := make([]int32, 5000)
				for range rounds {
					err := k.Launch(context.Background(), simtc.NDRange(5000), out, g%2)
					if g%2 == 0 && err != nil {
						done <- err
						return
					}
					if g%2 == 1 && (err == nil || !memoryFault(w).MatchString(err.Error())) {
						done <- fmt.Errorf("no fault, but %v", err)
						return
					}
					if g%2 == 0 && out[4999] != 4999 {
						done <- fmt.Errorf("out[4999] is %d", out[4999])
						return
					}
				}
				done <- nil
			}()
		}
		for range 4 {
			require.NoError(t, <-done)
		}
	})
}

// TestGoRunsOn checks that, while a kernel runs on all processors, the garbage collector
// completes cycles and other goroutines run.
func TestGoRunsOn(t *testing.T) {
	const source = `
__kernel void busy(__global uint *out, uint turns) {
  uint i = get_global_id(0), x = i;
  for (uint j = 0; j < turns; j++)
    x = x * 1664525u + (x >> 7) + j;
  out[i] = x;
}
`
	eachWay(t, source, []simtc.Strategy{{Target: simtc.AVX512, Width: 16}, {Target: simtc.AVX512, Width: 1}, {Target: simtc.WASM, Width: 4}}, func(t *testing.T, w simtc.Strategy, k *simtc.Kernel) {
		require.NoError(t, k.Build())
		ctx, cancel := context.WithCancel(context.Background())
		var finished atomic.Bool
		result := make(chan error, 1)
		go func() {
			// As many iterations as 32 bits allow, on each of a few work-items: one call
			// of the kernel's code takes the whole time of this test.
			err := k.Launch(ctx, simtc.NDRange(192), make([]uint32, 192), uint32(1<<32-1))
			finished.Store(true)
			result <- err
		}()
		sink := 0
		for range 3 { // each ends only if the kernel allows the collector to stop it
			sink += len(make([]byte, 1<<20))
			runtime.GC()
			runtime.Gosched()
		}
		require.False(t, finished.Load(), "the kernel was over before the collections were")
		require.NotZero(t, sink)
		cancel()
		require.ErrorIs(t, <-result, context.Canceled)
	})
}

// TestWrongArguments checks that arguments that do not match the parameters are rejected
// before anything runs.
func TestWrongArguments(t *testing.T) {
	const source = "__kernel void add(__global const int *a, __global int *out, int n, float4 v) { out[get_global_id(0)] = a[0] + n + (int)v.x; }\n"
	a, out, v := []int32{1}, make([]int32, 10), [4]float32{}
	bad := []struct {
		want string
		args []any
	}{
		{"takes 4 arguments, got 3", []any{a, out, 1}},
		{"takes 4 arguments, got 5", []any{a, out, 1, v, v}},
		{"argument 0 (", []any{3, out, 1, v}},
		{"argument 1 (", []any{a, []float32{1}, 1, v}},
		{"argument 1 (", []any{a, []*int{nil}, 1, v}},
		{"argument 2 (", []any{a, out, "one", v}},
		{"argument 2 (", []any{a, out, int64(1) << 40, v}},
		{"argument 2 (", []any{a, out, nil, v}},
		{"argument 3 (", []any{a, out, 1, [3]float32{}}},
		{"argument 3 (", []any{a, out, 1, float32(1)}},
		{"argument 2 (", []any{a, out, simtc.Bytes([]byte{1}), v}},
		{"argument 0 (", []any{simtc.Bytes([]byte{1}), out, 1, v}},
		{"argument 2 (", []any{a, out, simtc.Buffer([]byte{1, 2, 3, 4}), v}},
	}
	eachWay(t, source, faultWays(), func(t *testing.T, w simtc.Strategy, k *simtc.Kernel) {
		for _, b := range bad {
			err := k.Launch(context.Background(), simtc.NDRange(10), b.args...)
			require.ErrorContains(t, err, "kernel add", "%v", b.args)
			require.ErrorContains(t, err, b.want, "%v", b.args)
		}
		for _, r := range []simtc.Range{{}, simtc.NDRange(1, 1, 1, 1), simtc.NDRange(1 << 40)} {
			require.Error(t, k.Launch(context.Background(), r, a, out, 1, v), "%v", r)
		}
		require.NoError(t, k.Launch(context.Background(), simtc.NDRange(10), a, out, 1, v))
	})
}

// TestClosed checks that a closed program builds and runs nothing any more.
func TestClosed(t *testing.T) {
	source, err := os.ReadFile("kernels/saxpy.cl")
	require.NoError(t, err)
	p, err := simtc.Compile(string(source), simtc.Options{Debug: simtc.Debug{EmulateMissing: true}})
	require.NoError(t, err)
	k := p.Kernels()[0]
	for _, w := range faultWays() {
		if !runsHere(w.Target) {
			continue
		}
		k, err := k.With(w)
		require.NoError(t, err)
		require.NoError(t, k.Build())
	}
	require.NoError(t, p.Close())
	require.NoError(t, p.Close())
	require.ErrorIs(t, k.Build(), simtc.ErrClosed)
	require.NoError(t, p.Close())
}
