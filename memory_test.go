package simtc_test

import (
	"context"
	"math"
	"runtime"
	"sync"
	"testing"
	"time"
	"unsafe"

	"github.com/stretchr/testify/require"

	"github.com/simtc/simtc"
)

// Launches access memory from Alloc in place, on every target and concurrently, next to slices that
// are copied, and with local memory and phases.
func TestAlloc(t *testing.T) {
	const source = `
__constant int weights[4] = {1, 2, 3, 4};
__kernel void rotate_groups(__global const int *in, __global int *out, __local int *tmp, __global int *sums) {
	int l = get_local_id(0), n = get_local_size(0), i = get_global_id(0);
	tmp[l] = in[i];
	barrier(CLK_LOCAL_MEM_FENCE);
	out[i] = tmp[(l + 1) % n] * weights[i & 3];
	atomic_add(&sums[get_group_id(0)], in[i]);
}`
	const n, local = 4096, 64
	for _, target := range simtc.Targets() {
		if simtc.Available(target) != nil {
			continue // other targets have the same code path
		}
		t.Run(target, func(t *testing.T) {
			p := compile(t, source, simtc.Options{Strategy: simtc.Strategy{Target: target}, Threads: 2})
			k, err := p.Kernel("")
			require.NoError(t, err)
			ints := func(count int) []int32 {
				b, err := k.Alloc(4 * count)
				require.NoError(t, err)
				require.Len(t, b, 4*count)
				return unsafe.Slice((*int32)(unsafe.Pointer(unsafe.SliceData(b))), count)
			}
			bytes := func(x []int32) []byte {
				return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(x))), 4*len(x))
			}
			in := ints(n)
			for i := range in {
				in[i] = int32(i * 7)
			}
			var all sync.WaitGroup
			for range 4 {
				all.Go(func() {
					for range 3 {
						out, sums := ints(n), make([]int32, n/local)
						err := k.Launch(context.Background(), simtc.NDRange(n).WithLocal(local), in, out, simtc.LocalMemory(4*local), sums)
						if err != nil {
							t.Error(err)
							return
						}
						want := int32(0)
						for i := range local {
							want += in[local+i]
						}
						if sums[1] != want || out[local] != in[local+1] || out[n-1] != in[n-local]*4 {
							t.Error("wrong results")
						}
						k.Free(bytes(out))
					}
				})
			}
			all.Wait()
			require.EqualValues(t, 7*(n-1), in[n-1])
			_, err = k.Alloc(-1)
			require.Error(t, err)
		})
	}
}

// More memory than any machine has is an error.
func TestAllocTooMuch(t *testing.T) {
	for _, target := range simtc.Targets() {
		k, err := compile(t, one, simtc.Options{Strategy: simtc.Strategy{Target: target}}).Kernel("")
		require.NoError(t, err)
		for _, n := range []int{-1, math.MinInt, math.MaxInt, math.MaxInt - 1} {
			_, err := k.Alloc(n)
			require.Error(t, err, "%s: %d", target, n)
		}
		b, err := k.Alloc(3)
		require.NoError(t, err)
		require.Equal(t, []byte{0, 0, 0}, b)
		k.Free(b)
	}
}

// Memory from Alloc stays valid when everything else of the program is unreachable.
func TestAllocOutlivesTheKernel(t *testing.T) {
	p, err := simtc.Compile(one, simtc.Options{Strategy: simtc.Strategy{Target: simtc.WASM}})
	require.NoError(t, err)
	k, err := p.Kernel("")
	require.NoError(t, err)
	b, err := k.Alloc(1 << 20)
	require.NoError(t, err)
	require.NoError(t, k.Launch(context.Background(), simtc.NDRange(1<<18), b))
	for range 5 {
		runtime.GC()
		time.Sleep(5 * time.Millisecond)
	}
	require.EqualValues(t, 1, b[1<<20-4])
	b[0] = 7
}
