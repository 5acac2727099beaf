package launch

import (
	"math"
	"math/rand"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"

	"github.com/simtc/simtc/launch/wasmhost"
	"github.com/simtc/simtc/launch/wasmhost/defaulthost"
	"github.com/simtc/simtc/launch/wasmhost/wazerohost"
	wasmsimd "github.com/simtc/simtc/targets/wasm-simd"
	"github.com/simtc/simtc/targets/wasm-simd/wasm"
)

// Allocations of the heap never overlap, and freeing them in any order coalesces all of it.
func TestHeap(t *testing.T) {
	rng := rand.New(rand.NewSource(1))
	for range 200 {
		h := heap{top: 4096}
		taken := map[uint64]uint64{}
		for range 300 {
			if len(taken) > 0 && rng.Intn(2) == 0 {
				for at := range taken {
					h.give(at)
					delete(taken, at)
					break
				}
				continue
			}
			n := uint64(rng.Intn(1000))
			at := h.take(n)
			require.Zero(t, at%64)
			require.GreaterOrEqual(t, at, uint64(4096))
			require.LessOrEqual(t, at+n, h.top)
			for other, size := range taken {
				require.True(t, at+n <= other || other+size <= at, "[%d, %d) and [%d, %d)", at, at+n, other, other+size)
			}
			taken[at] = n
		}
		free := h.free
		for i := 1; i < len(free); i++ {
			require.Less(t, free[i-1].at+free[i-1].size, free[i].at, "adjacent ranges are coalesced")
		}
		h.give(1) // never allocated
		for at := range taken {
			h.give(at)
		}
		require.Empty(t, h.free)
		require.EqualValues(t, 4096, h.top)
	}
}

// Large buffers start at different offsets in a page.
func TestHeapSeparatesLargeBuffers(t *testing.T) {
	h := heap{top: 4096}
	first, second, third := h.take(1<<16), h.take(1<<16), h.take(100)
	require.Zero(t, first%4096)
	require.EqualValues(t, 256, second%4096)
	require.EqualValues(t, 512, third%4096)
	require.EqualValues(t, 128, h.take(1)-third)
}

func TestEngineMemory(t *testing.T) {
	for _, host := range []wasmhost.Host{defaulthost.New(), wazerohost.New()} {
		t.Run(host.Name(), func(t *testing.T) {
			m := NewEngineMemory(host, host.Features()&wasm.Threads != 0)
			_, ok := m.address([]byte{1})
			require.False(t, ok, "nothing is allocated yet")
			a, err := m.Alloc(100)
			require.NoError(t, err)
			at, ok := m.address(a[10:20])
			require.True(t, ok)
			require.EqualValues(t, wasmsimd.Reserved+10, at)
			for i := range a {
				a[i] = 7
			}
			b, err := m.Alloc(10 << 20) // the memory grows
			require.NoError(t, err)
			require.Len(t, b, 10<<20)
			require.Equal(t, 10<<20, cap(b), "the capacity ends with the buffer")
			require.EqualValues(t, 7, a[99], "growing does not move it")
			m.Free(a)
			c, err := m.Alloc(64)
			require.NoError(t, err)
			require.Same(t, unsafe.SliceData(a), unsafe.SliceData(c), "freed memory is reused")
			require.Equal(t, make([]byte, 64), c)
			m.Free(make([]byte, 5)) // not an allocation
			if math.MaxInt > math.MaxInt32 {
				_, err = m.Alloc(math.MaxInt >> 30)
				require.ErrorContains(t, err, "4 GiB")
			}
			_, err = m.Alloc(1 << 20)
			require.NoError(t, err, "the failed allocation used no memory")
			require.NoError(t, m.Close())
			require.NoError(t, m.Close())
		})
	}
	var none *EngineMemory
	_, ok := none.address([]byte{1})
	require.False(t, ok)
}
