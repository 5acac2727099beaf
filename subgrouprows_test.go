package simtc_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/simtc/simtc"
)

// Sub-groups consist of work-items with consecutive linear ids, and only the last one of a work-group
// may be smaller than the others (OpenCL 3.0 §3.2.1), also if their size does not divide a row.
func TestSubGroupsSpanRows(t *testing.T) {
	const source = `
%s
__kernel void k(__global uint *out, __global uint *sums) {
	size_t group = get_group_id(0) + get_num_groups(0) * (get_group_id(1) + get_num_groups(1) * get_group_id(2));
	size_t at = group * get_local_size(0) * get_local_size(1) * get_local_size(2) + get_local_linear_id();
	out += 8 * at;
	out[0] = get_sub_group_id();
	out[1] = get_sub_group_local_id();
	out[2] = get_sub_group_size();
	out[3] = get_num_sub_groups();
	out[4] = get_enqueued_num_sub_groups();
	out[5] = get_max_sub_group_size();
	out[6] = get_local_id(0) + 100 * get_local_id(1) + 10000 * get_local_id(2);
	out[7] = get_global_id(0) + 100 * get_global_id(1) + 10000 * get_global_id(2);
	sums[at] = 0;
	if (get_local_linear_id() %% 3) sums[at] = 1000 * sub_group_scan_inclusive_add(1u) + sub_group_reduce_max((uint)get_local_linear_id());
	barrier(CLK_GLOBAL_MEM_FENCE);
	sums[at] += sub_group_shuffle_xor((uint)get_global_id(1), 1);
}`
	for size, required := range map[int]bool{4: true, 16: true, 32: false} {
		attribute, w := "", size
		if required {
			attribute, w = fmt.Sprintf("__attribute__((intel_reqd_sub_group_size(%d)))", size), 0
		}
		for _, target := range simtc.Targets() {
			p := compile(t, fmt.Sprintf(source, attribute), simtc.Options{Strategy: simtc.Strategy{Target: target, Width: w}, Std: "3.0", Emulate: true})
			k, err := p.Kernel("k")
			require.NoError(t, err)
			for _, l := range [][3]uint64{{1, 1, 16}, {8, 8, 1}, {5, 3, 2}, {20, 2, 1}} {
				groups := [3]uint64{1, 2, 1}
				global := [3]uint64{l[0] * groups[0], l[1] * groups[1], l[2] * groups[2]}
				n, items := global[0]*global[1]*global[2], l[0]*l[1]*l[2]
				out, sums := make([]uint32, 8*n), make([]uint32, n)
				r := simtc.NDRange(global[:]...).WithLocal(l[:]...)
				require.NoError(t, k.Launch(context.Background(), r, out, sums))
				for at := range n {
					i, g := at%items, at/items
					id := [3]uint64{i % l[0], i / l[0] % l[1], i / l[0] / l[1]}
					global := func(d int, i uint64) uint64 {
						first := [3]uint64{g % groups[0], g / groups[0] % groups[1], g / groups[0] / groups[1]}
						return first[d]*l[d] + [3]uint64{i % l[0], i / l[0] % l[1], i / l[0] / l[1]}[d]
					}
					s := uint64(size)
					sub, lane := i/s, i%s
					count := (items + s - 1) / s
					want := []uint32{
						uint32(sub), uint32(lane), uint32(min(s, items-sub*s)), uint32(count), uint32(count), uint32(s),
						uint32(id[0] + 100*id[1] + 10000*id[2]), uint32(global(0, i) + 100*global(1, i) + 10000*global(2, i)),
					}
					sum := uint64(0)
					if i%3 != 0 {
						highest := uint64(0)
						for j := sub * s; j < min(items, sub*s+s); j++ {
							if j%3 != 0 {
								highest = j
							}
							if j%3 != 0 && j <= i {
								sum += 1000
							}
						}
						sum += highest
					}
					if other := sub*s + (lane ^ 1); other < items {
						sum += global(1, other)
					}
					require.Equal(t, want, out[8*at:8*at+8], "%s, size %d, local %v, group %d, work-item %d", target, size, l, g, i)
					require.Equal(t, uint32(sum), sums[at], "%s, size %d, local %v, group %d, work-item %d", target, size, l, g, i)
				}
			}
		}
	}
}
