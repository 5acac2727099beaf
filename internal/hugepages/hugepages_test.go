package hugepages_test

import (
	"math"
	"runtime"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"

	"github.com/simtc/simtc/internal/hugepages"
)

// TestAdvise checks that Advise does not change memory, for any start and end.
func TestAdvise(t *testing.T) {
	all := make([]byte, 9<<20)
	for _, b := range [][]byte{nil, all[:1], all[:4<<20], all[12345 : 8<<20+77], all} {
		for i := range b {
			b[i] = byte(i)
		}
		hugepages.Advise(b)
		for i := range b {
			if b[i] != byte(i) {
				require.Equal(t, byte(i), b[i], "at %d", i)
			}
		}
	}
}

// TestMake checks that large buffers start at different page offsets.
func TestMake(t *testing.T) {
	places := map[uintptr]bool{}
	for range 16 {
		b, err := hugepages.Make(1 << 16)
		require.NoError(t, err)
		require.Len(t, b, 1<<16)
		at := uintptr(unsafe.Pointer(&b[0]))
		require.Zero(t, at%64)
		places[at%4096] = true
	}
	require.Len(t, places, 16)
	for _, n := range []int{0, 100, 32 << 20} {
		b, err := hugepages.Make(n)
		require.NoError(t, err)
		require.Len(t, b, n)
	}
	for _, n := range []int{math.MaxInt, math.MaxInt / 2} {
		_, err := hugepages.Make(n)
		require.ErrorContains(t, err, "no room for")
	}
	require.Zero(t, hugepages.Gap(4095))
	require.EqualValues(t, 256, hugepages.Gap(4096))
}

// TestGrowHeap checks that the memory by which the heap grew is free.
func TestGrowHeap(t *testing.T) {
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	hugepages.GrowHeap(64 << 20)
	runtime.ReadMemStats(&after)
	require.Less(t, after.HeapAlloc, before.HeapAlloc+8<<20)
	require.GreaterOrEqual(t, after.HeapSys, before.HeapSys+32<<20)
	require.GreaterOrEqual(t, after.HeapIdle, uint64(32<<20))
}
