package opencl_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/simtc/simtc"
	"github.com/simtc/simtc/opencl"
	"github.com/simtc/simtc/opencl/cl"
)

// TestSubGroupsOfRows checks that all sub-groups of a work-group but the last have the same size,
// also in work-groups of several rows, and that the queries of the host agree.
func TestSubGroupsOfRows(t *testing.T) {
	for _, target := range []string{"", simtc.AVX2, simtc.WASM} {
		if target != "" && simtc.Available(target) != nil {
			t.Logf("SKIPPED %s: %v", target, simtc.Available(target))
			continue
		}
		f := newFixture(t, opencl.Config{Target: target})
		k := f.kernel(`#pragma OPENCL EXTENSION cl_khr_subgroups : enable
kernel void places(global uint4 *out) {
  size_t i = get_global_id(0) + get_global_size(0) * (get_global_id(1) + get_global_size(1) * get_global_id(2));
  out[i] = (uint4)(get_sub_group_id(), get_sub_group_local_id(), get_sub_group_size(), get_max_sub_group_size() * 1000 + get_num_sub_groups());
}`, "places")
		for _, c := range []struct{ global, local []int }{
			{[]int{20, 2}, []int{20, 2}}, {[]int{24, 6}, []int{12, 3}}, {[]int{14, 3, 2}, []int{7, 3, 2}}, {[]int{48, 2}, []int{16, 2}},
			{[]int{3, 33}, []int{3, 33}}, {[]int{1, 50}, []int{1, 50}}, {[]int{40}, []int{20}}, {[]int{128, 2}, []int{64, 2}}, {[]int{10, 1, 1}, []int{5, 1, 1}},
		} {
			name := fmt.Sprintf("%s %v in %v", target, c.global, c.local)
			items, group, groups := 1, 1, 1
			for d := range c.global {
				items, group, groups = items*c.global[d], group*c.local[d], groups*(c.global[d]/c.local[d])
			}
			maximum, err := k.SubGroupInfo(f.p.Device(), cl.KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE, c.local, 1)
			require.NoError(t, err)
			count, err := k.SubGroupInfo(f.p.Device(), cl.KERNEL_SUB_GROUP_COUNT_FOR_NDRANGE, c.local, 1)
			require.NoError(t, err)
			w := maximum.(int)
			require.Equal(t, (group+w-1)/w, count, name)
			m := f.buffer(16 * items)
			f.set(k, m)
			e, err := f.q.Launch(k, cl.COMMAND_NDRANGE_KERNEL, len(c.global), nil, c.global, c.local, nil)
			require.NoError(t, err)
			out := make([][4]uint32, items)
			_, err = f.q.Read(m, true, 0, 16*items, pointerTo(out), []*opencl.Event{e})
			require.NoError(t, err)
			members := map[uint32]int{} // of each number
			for _, v := range out {
				size := w
				if int(v[0]) == count.(int)-1 {
					size = group - w*int(v[0])
				}
				require.Less(t, v[1], v[2], name)
				require.Equal(t, [2]uint32{uint32(size), uint32(1000*w + count.(int))}, [2]uint32{v[2], v[3]}, "%s: sub-group %d", name, v[0])
				members[v[0]]++
			}
			require.Len(t, members, count.(int), name)
			for id, n := range members {
				size := min(w, group-w*int(id))
				require.Equal(t, size*groups, n, "%s: sub-group %d", name, id)
			}
		}
	}
}
