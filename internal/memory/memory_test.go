package memory

import (
	"errors"
	"math"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestSizes(t *testing.T) {
	var s Space
	bytes := []byte{1, 2, 3, 4, 5, 6, 7, 8, 9}
	at := s.Add(bytes)
	for size, want := range map[int]uint64{1: 2, 2: 0x0302, 4: 0x05040302, 8: 0x0908070605040302} {
		got, err := s.Load(at+1, size)
		require.NoError(t, err)
		require.Equal(t, want, got, "size %d, unaligned", size)
	}
	for _, size := range []int{1, 2, 4, 8} {
		clear(bytes)
		require.NoError(t, s.Store(at+1, size, 0xf8f7f6f5f4f3f2f1))
		want := make([]byte, 9)
		for i := range size {
			want[1+i] = 0xf1 + byte(i)
		}
		require.Equal(t, want, bytes, "the bytes are the caller's; only %d change", size)
	}
}

func TestBounds(t *testing.T) {
	var s Space
	var at []uint64
	for _, n := range []int{16, 0, 3, 5000} {
		at = append(at, s.Add(make([]byte, n)))
	}
	for _, c := range []struct {
		addr uint64
		size int
		ok   bool
	}{
		{at[0], 8, true}, {at[0] + 8, 8, true}, {at[0] + 15, 1, true},
		{at[0] + 9, 8, false}, {at[0] + 13, 4, false}, {at[0] + 15, 2, false}, {at[0] + 16, 1, false},
		{at[0] - 1, 1, false}, {at[0] - 1, 8, false}, {at[0] + 4096, 1, false},
		{at[1], 1, false},
		{at[2] + 2, 1, true}, {at[2] + 2, 2, false}, {at[2], 4, false},
		{at[3] + 4096, 8, true}, {at[3] + 4992, 8, true}, {at[3] + 4993, 8, false},
		{0, 1, false}, {1, 8, false}, {math.MaxUint64, 1, false}, {math.MaxUint64 - 3, 8, false}, {1 << 63, 4, false},
	} {
		_, err := s.Load(c.addr, c.size)
		stored := s.Store(c.addr, c.size, 0)
		if c.ok {
			require.NoError(t, err)
			require.NoError(t, stored)
			continue
		}
		var f *Fault
		require.True(t, errors.As(err, &f), "read of %d bytes at %#x", c.size, c.addr)
		require.Equal(t, Fault{c.addr, c.size, false}, *f)
		require.True(t, errors.As(stored, &f))
		require.Equal(t, Fault{c.addr, c.size, true}, *f)
	}
}

// TestGaps checks that an index that is off by less than the gap accesses no other
// region.
func TestGaps(t *testing.T) {
	var s Space
	end := uint64(0)
	for _, n := range []int{0, 1, 4095, 4096, 4097, 100000} {
		at := s.Add(make([]byte, n))
		require.Zero(t, at%4096)
		require.GreaterOrEqual(t, at-end, uint64(gap))
		end = at + uint64(n)
	}
}

func TestEmptySpaceFaults(t *testing.T) {
	var s Space
	_, err := s.Load(gap, 1)
	require.EqualError(t, err, "invalid read of 1 bytes at address 0x100000")
	require.EqualError(t, s.Store(0, 8, 1), "invalid write of 8 bytes at address 0x0")
}
