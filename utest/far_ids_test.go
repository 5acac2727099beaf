package utest

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/simtc/simtc"
)

// TestFarIDs checks IDs of 2^31 and more, whose conversion to int changes the value, and
// slightly smaller ones, for which additions overflow. Code specialized for ranges
// without such IDs uses int arithmetic for IDs and must not be run on other ranges.
func TestFarIDs(t *testing.T) {
	const source = `kernel void far(global long *out, ulong first) {
  int i = get_global_id(0);
  long j = i, k = i + 1;
  ulong id = get_global_id(0);
  if (id != get_global_offset(0) + get_group_id(0) * get_local_size(0) + get_local_id(0)) return;
  if (get_global_offset(0) != first || get_global_linear_id() != id - first) return;
  out[id - first] = j * 3 + k / 7 + (i < 0 ? 1000 : 0) + (id >> 32) + (id + 8 > id ? 0 : 5) + (id / 3 * 3 + id % 3 - id);
}`
	const n = 100
	p, err := simtc.Compile(source, simtc.Options{Threads: 1, Debug: simtc.Debug{EmulateMissing: true, Verify: true}})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, p.Close()) })
	kernel, err := p.Kernel("far")
	require.NoError(t, err)
	for _, w := range append([]simtc.Strategy{{Target: simtc.Interpreter}}, ways(t, kernel, *long)...) {
		t.Run(w.String(), func(t *testing.T) {
			need(t, w.Target)
			k, err := kernel.With(w)
			require.NoError(t, err)
			for _, first := range []uint64{0, 1<<31 - 1<<16 - n, 1<<31 - 1<<16 - n/2, 1<<31 - n, 1<<31 - n/2, 1 << 31,
				1<<31 + 5, 1<<32 - n/2, 1 << 32, 1<<40 + 3, 1<<63 - 1<<16 - n} {
				out := make([]int64, n)
				require.NoError(t, k.Launch(context.Background(), simtc.NDRange(n).WithOffset(first), out, first))
				for x, got := range out {
					i := int32(uint32(first + uint64(x)))
					want := 3*int64(i) + int64(i+1)/7
					if i < 0 {
						want += 1000
					}
					want += int64((first + uint64(x)) >> 32)
					require.Equal(t, want, got, "work-item %d from %d", x, first)
				}
			}
		})
	}
}
