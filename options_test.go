package simtc_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/simtc/simtc"
)

// Options that are invalid for every kernel are reported by Compile.
func TestOptionsOutOfRange(t *testing.T) {
	for _, target := range append(simtc.Targets(), "") {
		for _, w := range []int{3, -1, 1000, 2} {
			if w == 2 && target == simtc.Interpreter {
				continue // sub-groups of two are valid
			}
			_, err := simtc.Compile(one, simtc.Options{Strategy: simtc.Strategy{Target: target, Width: w}})
			require.ErrorContains(t, err, "does not support width", "%s x%d", target, w)
			if target == "" {
				continue
			}
			k, err := compile(t, one, simtc.Options{}).Kernel("")
			require.NoError(t, err)
			_, err = k.With(simtc.Strategy{Target: target, Width: w})
			require.ErrorContains(t, err, "does not support width", "%s x%d", target, w)
		}
	}
	_, err := simtc.Compile(one, simtc.Options{Strategy: simtc.Strategy{Target: simtc.WASM, Width: 128}})
	require.ErrorContains(t, err, "target wasm-simd does not support width 128: want one of 1 4 8 16 32 64")
	for _, c := range []struct {
		opt  simtc.Options
		want string
	}{
		{simtc.Options{Threads: -1}, "invalid number of threads -1: want 0 to 1024"},
		{simtc.Options{Threads: simtc.MaxThreads + 1}, "invalid number of threads 1025: want 0 to 1024"},
		{simtc.Options{PrintfBytes: -1}, "invalid printf buffer of -1 bytes: want 0 to 2130706408"},
		{simtc.Options{PrintfBytes: math.MaxInt}, "want 0 to 2130706408"},
		{simtc.Options{Std: "9"}, `unknown version "9" of OpenCL C: want one of 1.0, 1.1, 1.2, 2.0, 3.0`},
		{simtc.Options{Strategy: simtc.Strategy{Lanes: "rows"}}, `invalid lanes "rows"`},
		{simtc.Options{Strategy: simtc.Strategy{Linearizer: "x"}}, `unknown linearizer "x"`},
		{simtc.Options{Strategy: simtc.Strategy{Bypass: "x"}}, `unknown bypass "x"`},
		{simtc.Options{Strategy: simtc.Strategy{Scalar: "x"}}, `invalid scalar code "x"`},
		{simtc.Options{Strategy: simtc.Strategy{Target: simtc.AVX512, Scalar: simtc.Switch, Width: 4}}, `scalar code "switch" needs width 1, not 4`},
		{simtc.Options{Strategy: simtc.Strategy{Engine: "x"}}, `invalid engine code "x"`},
		{simtc.Options{Strategy: simtc.Strategy{Target: simtc.VIR, Engine: simtc.Plain}}, "target vir does not run in an engine"},
		{simtc.Options{Strategy: simtc.Strategy{Target: simtc.WASM, Scalar: simtc.Switch}}, `target wasm-simd does not support scalar code "switch"`},
		{simtc.Options{Processor: "x"}, `unknown processor "x"`},
		{simtc.Options{Strategy: simtc.Strategy{Target: "x"}}, `unknown target "x"`},
	} {
		_, err := simtc.Compile(one, c.opt)
		require.ErrorContains(t, err, c.want)
		var wrong *simtc.OptionsError
		require.ErrorAs(t, err, &wrong)
	}
}

// TestAvailableAgreesWithLaunch checks that Available returns the error with which a launch rejects
// the options of a kernel.
func TestAvailableAgreesWithLaunch(t *testing.T) {
	const sized = `__attribute__((intel_reqd_sub_group_size(8))) __kernel void k(__global int *p) { p[get_global_id(0)] = get_sub_group_local_id(); }`
	for _, c := range []struct {
		source string
		opt    simtc.Options
		want   string
	}{
		{one, simtc.Options{Strategy: simtc.Strategy{Target: simtc.VIR, Lanes: simtc.Iterations}}, "cannot run loop iterations as lanes"},
		{one, simtc.Options{Strategy: simtc.Strategy{Target: simtc.VIR, Lanes: simtc.Iterations, Width: 1}}, "cannot run loop iterations as lanes"},
		{one, simtc.Options{Strategy: simtc.Strategy{Target: simtc.VIR, Width: 4}}, ""},
		{sized, simtc.Options{Strategy: simtc.Strategy{Target: simtc.VIR, Width: 4}}, "requires sub-groups of 8 work-items, which excludes width 4"},
		{sized, simtc.Options{Strategy: simtc.Strategy{Target: simtc.VIR, Width: 8}}, ""},
		{sized, simtc.Options{Strategy: simtc.Strategy{Target: simtc.Interpreter}}, ""},
	} {
		k, err := compile(t, c.source, c.opt).Kernel("")
		require.NoError(t, err)
		available := k.Available()
		launched := k.Launch(context.Background(), simtc.NDRange(16), make([]int32, 16))
		if c.want == "" {
			require.NoError(t, available)
			require.NoError(t, launched)
			continue
		}
		require.ErrorContains(t, available, c.want)
		require.EqualError(t, launched, available.Error())
	}
}

// TestUnknownKernels checks that an unknown name in Options.Kernels is an error, for OpenCL C and for
// kernel IR.
func TestUnknownKernels(t *testing.T) {
	ir, err := compile(t, one, simtc.Options{}).Emit("kernel")
	require.NoError(t, err)
	for file, source := range map[string]string{"k.cl": one, "k.simt": string(ir)} {
		_, err := simtc.Compile(source, simtc.Options{File: file, Kernels: []string{"one", "two"}})
		require.EqualError(t, err, file+": there is no kernel 'two'")
		_, err = simtc.Compile(source, simtc.Options{File: file, Kernels: []string{"one"}})
		require.NoError(t, err)
	}
}

// TestRequiredGroupTooLarge checks that an impossible required work-group size is a compile error.
func TestRequiredGroupTooLarge(t *testing.T) {
	source := func(x, y, z int) string {
		return fmt.Sprintf("__kernel __attribute__((reqd_work_group_size(%d, %d, %d))) void k(__global int *p) {}", x, y, z)
	}
	_, err := simtc.Compile(source(256, 256, 1), simtc.Options{File: "k.cl"})
	require.NoError(t, err)
	_, err = simtc.Compile(source(256, 256, 2), simtc.Options{File: "k.cl"})
	require.EqualError(t, err, "k.cl:1:66: kernel k: a work-group has more than 65536 work-items")
	var wrong *simtc.CompileError
	require.ErrorAs(t, err, &wrong)
}

// TestEmptyRanges checks that a launch over no work-items checks its arguments and does nothing.
func TestEmptyRanges(t *testing.T) {
	const source = `__kernel void k(__global int *p, int n) {
	__local int l;
	l = n; barrier(CLK_LOCAL_MEM_FENCE);
	p[get_global_id(0)] = l; printf("printed"); }
__kernel __attribute__((reqd_work_group_size(8, 1, 1))) void sized(__global int *p, int n) { p[get_local_id(0)] = n; }`
	for _, target := range simtc.Targets() {
		var printed bytes.Buffer
		p := compile(t, source, simtc.Options{Strategy: simtc.Strategy{Target: target}, Printf: &printed, Emulate: target == simtc.AVX512})
		for _, k := range p.Kernels() {
			for _, r := range []simtc.Range{
				simtc.NDRange(0), simtc.NDRange(0).WithLocal(8), simtc.NDRange(8, 0), simtc.NDRange(0, 1<<31, 1<<31), simtc.NDRange(8, 1, 0).WithOffset(5),
			} {
				p := []int32{-1}
				require.NoError(t, k.Launch(context.Background(), r, p, 1), "%s: %v", target, r)
				require.ErrorContains(t, k.Launch(context.Background(), r, p), "takes 2 arguments, got 1")
				require.ErrorContains(t, k.Launch(context.Background(), r, p, simtc.Bytes(nil)), "wants 4 bytes by value")
				require.NoError(t, k.Tune(context.Background(), time.Hour, r, p, 1), "%s: %v", target, r)
				profile, err := k.Profile(context.Background(), r, p, 1)
				require.NoError(t, err, "%s: %v", target, r)
				for _, b := range profile.Blocks {
					require.Zero(t, b.Runs)
				}
				require.Equal(t, []int32{-1}, p)
			}
		}
		require.Empty(t, printed.String())
	}
}

// TestInvalidSamplers checks that invalid bits of a sampler are an error, in every form of argument.
func TestInvalidSamplers(t *testing.T) {
	k, err := compile(t, `__kernel void k(sampler_t s, __global int *p) { p[0] = 1; }`, simtc.Options{Strategy: simtc.Strategy{Target: simtc.Interpreter}}).Kernel("")
	require.NoError(t, err)
	launch := func(s any) error { return k.Launch(context.Background(), simtc.NDRange(1), s, make([]int32, 1)) }
	for _, normalized := range []simtc.Sampler{0, simtc.NormalizedCoords} {
		for _, address := range []simtc.Sampler{simtc.AddressNone, simtc.AddressClampToEdge, simtc.AddressClamp, simtc.AddressRepeat, simtc.AddressMirroredRepeat} {
			for _, filter := range []simtc.Sampler{simtc.FilterNearest, simtc.FilterLinear} {
				require.NoError(t, launch(normalized|address|filter))
			}
		}
	}
	for _, bad := range []uint32{77, 0, 0x30, 0x1a, 0x1e, 0x50, 1 << 31, 0xffffffff} {
		for _, s := range []any{simtc.Sampler(bad), bad, simtc.Bytes(binary.LittleEndian.AppendUint32(nil, bad))} {
			require.ErrorContains(t, launch(s), fmt.Sprintf("sampler %#x ", bad), "%T", s)
		}
	}
}
