package simtc_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/simtc/simtc"
)

// The error of a launch whose context ended wraps the context's error and its cause.
func TestCauseOfCancellation(t *testing.T) {
	why := errors.New("why")
	const source = `__kernel void wait(__global volatile int *p) { while (p[get_global_id(0)] == 0) ; }`
	for _, target := range simtc.Targets() {
		k, err := compile(t, source, simtc.Options{Strategy: simtc.Strategy{Target: target}, Emulate: target == simtc.AVX512}).Kernel("")
		require.NoError(t, err)
		require.NoError(t, k.Build())
		launches := map[string]func(context.Context) error{
			"Launch": func(ctx context.Context) error { return k.Launch(ctx, simtc.NDRange(8), make([]int32, 8)) },
			"Profile": func(ctx context.Context) error {
				_, err := k.Profile(ctx, simtc.NDRange(8), make([]int32, 8))
				return err
			},
		}
		for name, launch := range launches {
			ctx, cancel := context.WithCancelCause(context.Background())
			time.AfterFunc(10*time.Millisecond, func() { cancel(why) })
			for range 2 { // while it runs, and before it
				err = launch(ctx)
				require.ErrorIs(t, err, why, "%s: %s", target, name)
				require.ErrorIs(t, err, context.Canceled, "%s: %s", target, name)
			}
			ctx, cancelTimeout := context.WithTimeoutCause(context.Background(), 10*time.Millisecond, why)
			err = launch(ctx)
			cancelTimeout()
			require.ErrorIs(t, err, why, "%s: %s", target, name)
			require.ErrorIs(t, err, context.DeadlineExceeded, "%s: %s", target, name)
			ctx, stop := context.WithTimeout(context.Background(), 10*time.Millisecond)
			err = launch(ctx)
			stop()
			require.ErrorIs(t, err, context.DeadlineExceeded, "%s: %s", target, name)
		}
	}
}

// The error of Options.Include is wrapped by the error of Compile.
func TestErrorOfInclude(t *testing.T) {
	why := errors.New("the store is closed")
	_, err := simtc.Compile("#include <a.h>\n#include <b.h>\n", simtc.Options{
		Include: func(name, _ string, _ bool) (string, string, error) {
			if name == "a.h" {
				return name, "int x = ;", nil
			}
			return "", "", why
		},
	})
	require.ErrorIs(t, err, why)
	require.ErrorContains(t, err, "kernel.cl:2:")
	require.ErrorContains(t, err, "cannot include 'b.h': the store is closed")
	var wrong *simtc.CompileError
	require.ErrorAs(t, err, &wrong)
	require.Len(t, wrong.Diagnostics, 2)
}

// Included files must be regular: devices may be endless, and pipes may block.
func TestIncludedFilesAreRegular(t *testing.T) {
	const device = "/dev/zero"
	if _, err := os.Stat(device); err != nil {
		t.Skipf("SKIPPED: %v", err)
	}
	_, err := simtc.Compile("#include \""+device+"\"\n", simtc.Options{})
	require.ErrorContains(t, err, "kernel.cl:1:2: cannot include '/dev/zero': it is not a regular file")
}

// A fault has its type and, if known, its location.
func TestFaults(t *testing.T) {
	const source = `__kernel void wild(__global int *p) {
	p[1L << 40 | 1 << 29] = 1;
}
__kernel void missed(__global int *p) {
	if (get_local_id(0) & 1)
		barrier(CLK_LOCAL_MEM_FENCE);
	else
		barrier(CLK_GLOBAL_MEM_FENCE);
	p[get_global_id(0)] = 1;
}`
	for _, target := range simtc.Targets() {
		if target == simtc.AVX512 {
			continue // tested below
		}
		faultsOf(t, source, simtc.Options{Strategy: simtc.Strategy{Target: target}, File: "faults.cl"})
	}
	faultsOf(t, source, simtc.Options{Emulate: true, File: "faults.cl"})
	if simtc.Available(simtc.AVX512) == nil {
		faultsOf(t, source, simtc.Options{Strategy: simtc.Strategy{Target: simtc.AVX512}, File: "faults.cl"})
	}
}

func faultsOf(t *testing.T, source string, opt simtc.Options) {
	p := compile(t, source, opt)
	for _, c := range []struct {
		kernel string
		lines  []int
		says   string
	}{{"wild", []int{2}, ""}, {"missed", []int{6, 8}, "the barrier is not reached by all work-items of work-group 0,0,0: some are at the barrier at "}} {
		k, err := p.Kernel(c.kernel)
		require.NoError(t, err)
		r := simtc.NDRange(8).WithLocal(8)
		_, profiled := k.Profile(context.Background(), r, make([]int32, 8))
		for _, err := range []error{k.Launch(context.Background(), r, make([]int32, 8)), profiled} {
			var f *simtc.Fault
			require.ErrorAs(t, err, &f, "%s %s", p.Target(), c.kernel)
			require.Equal(t, c.kernel, f.Kernel)
			require.Equal(t, "faults.cl", f.File)
			require.ErrorContains(t, err, "kernel "+c.kernel+": ")
			require.Contains(t, err.Error(), f.Message)
			require.Contains(t, f.Message, c.says)
			var wrong *simtc.CompileError
			require.False(t, errors.As(err, &wrong))
			require.Contains(t, c.lines, f.Line, "%s: %v", p.Target(), err)
			require.ErrorContains(t, err, fmt.Sprintf("faults.cl:%d", f.Line))
			require.Contains(t, f.Detail(), fmt.Sprintf("faults.cl:%d", f.Line))
			require.Contains(t, f.Detail(), "kernel "+c.kernel+": "+f.Message+"\n    ")
		}
	}
}

// The error of a launch that its context ended has the kernel and the location.
func TestStoppedLaunches(t *testing.T) {
	const source = `__kernel void endless(__global int *p, int n) {
	int i = get_global_id(0);
	while (n)
		p[i]++;
}`
	options := []simtc.Options{{Strategy: simtc.Strategy{Target: simtc.Interpreter}}, {Strategy: simtc.Strategy{Target: simtc.VIR}}, {Strategy: simtc.Strategy{Target: simtc.WASM}}, {Emulate: true}, {Emulate: true, MaxSteps: 100_000}}
	if simtc.Available(simtc.AVX512) == nil {
		options = append(options, simtc.Options{Strategy: simtc.Strategy{Target: simtc.AVX512}}, simtc.Options{Strategy: simtc.Strategy{Target: simtc.AVX512}, Threads: 1})
	}
	why := errors.New("enough of this")
	for _, o := range options {
		o.File = "endless.cl"
		p := compile(t, source, o)
		k, err := p.Kernel("endless")
		require.NoError(t, err)
		require.NoError(t, k.Build())
		for wait := 50 * time.Millisecond; wait < 10*time.Second; wait *= 5 { // a busy machine may not start in time
			ctx, cancel := context.WithTimeoutCause(context.Background(), wait, why)
			err = k.Launch(ctx, simtc.NDRange(50_000), make([]int32, 50_000), 1)
			cancel()
			var s *simtc.Stopped
			if o.MaxSteps > 0 || errors.As(err, &s) && s.Line > 0 {
				break
			}
		}
		if o.MaxSteps > 0 {
			var f *simtc.Fault
			require.ErrorAs(t, err, &f)
			require.Contains(t, []int{3, 4}, f.Line)
			continue
		}
		require.ErrorIs(t, err, why)
		require.ErrorIs(t, err, context.DeadlineExceeded)
		var s *simtc.Stopped
		require.ErrorAs(t, err, &s)
		require.Equal(t, "endless", s.Kernel)
		require.Equal(t, "endless.cl", s.File)
		require.False(t, errors.As(err, new(*simtc.Fault)))
		require.ErrorContains(t, err, "kernel endless: ")
		require.ErrorContains(t, err, s.Message)
		require.Contains(t, []int{3, 4}, s.Line, "%s: %v", p.Target(), err)
		require.Positive(t, s.Column)
		require.Regexp(t, `^endless.cl:\d:\d+: error: kernel endless: .*\n    .*\n +\^\n$`, s.Detail())
	}
}

// The error of a launch that ends in a loop without operations has the location of the loop.
func TestStoppedInLoopsWithoutOperations(t *testing.T) {
	for name, source := range map[string]string{
		"always": `__kernel void empty(__global int *p, int n) {
	p[get_global_id(0)] = n;
	for (;;)
		;
}`,
		"uniform": `__kernel void empty(__global int *p, int n) {
	p[get_global_id(0)] = n;
	while (n) ;
	p[0] = 1;
}`,
		"varying": `__kernel void empty(__global int *p, int n) {
	if (p[get_global_id(0)] == 0)
		for (;;) ;
	p[0] = 1;
}`,
		"goto": `__kernel void empty(__global int *p, int n) {
	p[get_global_id(0)] = n;
	again: goto again;
}`,
	} {
		for _, o := range []simtc.Options{
			{Strategy: simtc.Strategy{Target: simtc.Interpreter}}, {Strategy: simtc.Strategy{Target: simtc.VIR, Width: 16}}, {Strategy: simtc.Strategy{Target: simtc.WASM, Width: 1}}, {Strategy: simtc.Strategy{Target: simtc.WASM, Width: 8}},
			{Strategy: simtc.Strategy{Target: simtc.AVX512, Width: 1}}, {Strategy: simtc.Strategy{Target: simtc.AVX512, Width: 16}}, {Strategy: simtc.Strategy{Target: simtc.AVX512, Width: 16, Linearizer: "blockip"}},
		} {
			o.File, o.Emulate = "empty.cl", simtc.Available(simtc.AVX512) != nil
			p := compile(t, source, o)
			k, err := p.Kernel("empty")
			require.NoError(t, err)
			require.NoError(t, k.Build())
			var s *simtc.Stopped
			for wait := 30 * time.Millisecond; wait < 10*time.Second; wait *= 5 { // a busy machine may not start in time
				ctx, cancel := context.WithTimeout(context.Background(), wait)
				err = k.Launch(ctx, simtc.NDRange(64), make([]int32, 64), 1)
				cancel()
				if errors.As(err, &s) && s.Line > 0 {
					break
				}
			}
			require.ErrorAs(t, err, &s)
			require.Equal(t, 3, s.Line, "%s: %s: %v", name, p.Target(), err)
			require.Positive(t, s.Column)
		}
	}
}

// Blanks between the kinds of remarks are ignored.
func TestChooseRemarksWithBlanks(t *testing.T) {
	rs := []simtc.Remark{{Kind: "gather"}, {Kind: "scatter"}, {Kind: "width"}}
	chosen, err := simtc.ChooseRemarks(rs, " gather, scatter ")
	require.NoError(t, err)
	require.Equal(t, rs[:2], chosen)
	_, err = simtc.ChooseRemarks(rs, "gather, nothing")
	require.ErrorContains(t, err, `invalid remark kind "nothing"`)
}
