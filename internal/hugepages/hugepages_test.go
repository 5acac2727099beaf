package hugepages_test

import (
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/simtc/simtc/internal/hugepages"
)

// Advice changes nothing in memory, wherever it begins and ends.
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

// What the heap grew by is free.
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
