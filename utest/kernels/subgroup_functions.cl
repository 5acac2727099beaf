// Every kind of sub-group function, with all work-items active and with some
// active. The results depend on the sub-group size: the sums are those of size 16.
// run: -k functions -g 150 -l 75 b:uint4:150:zero b:int:150:rand,3,0,100
// sum: 0 4a2f64242b9df8d8 the interpreter's, of sub-groups of 16
// sum: 1 ec1c50f4159befb4 the interpreter's, of sub-groups of 16
#pragma OPENCL EXTENSION cl_khr_subgroups : enable
#if !defined(cl_khr_subgroup_ballot) || !defined(cl_khr_subgroup_shuffle) || !defined(cl_intel_subgroups)
#error "an extension is missing"
#endif

uint4 fold(uint4 h, uint x) { return h * 31 + x + (uint4)(0, 1, 2, 3) * (x >> 7); }

uint4 shuffles(uint4 h, int x, float f, uint k) {
  h = fold(h, sub_group_shuffle(x, k & 7));
  h = fold(h, sub_group_shuffle_xor(x, 5u));
  h = fold(h, sub_group_shuffle_xor(x, k & 3));
  h = fold(h, sub_group_shuffle_up(x, 1u));
  h = fold(h, sub_group_shuffle_down(x, 2u));
  h = fold(h, sub_group_broadcast(x, 1u));
  h = fold(h, sub_group_rotate(x, 3));
  h = fold(h, sub_group_clustered_rotate(x, 1, 4u));
  h = fold(h, as_uint(sub_group_shuffle(f, k % 11)));
  h = fold(h, sub_group_shuffle_xor((uchar)x, 1u));
  h = fold(h, sub_group_shuffle_down((short)x, 1u));
  h = fold(h, (uint)(sub_group_shuffle((ulong)x << 33 | k, k & 1) >> 30));
  h = fold(h, (uint)sub_group_shuffle((double)x, 3u));
  h += as_uint4(sub_group_shuffle((float4)(f, f + 1, f + 2, f + 3), (k + 1) & 3));
  h.xyz += sub_group_broadcast((uint3)(x, k, 7), 2u);
  h = fold(h, intel_sub_group_shuffle_up(x, -x, 3u));
  h = fold(h, intel_sub_group_shuffle_down(x, -x, 3u));
  return h;
}

uint4 votes(uint4 h, int x) {
  h = fold(h, sub_group_any(x > 95) + 2 * sub_group_all(x > 3));
  h = fold(h, sub_group_non_uniform_any(x > 90) + 2 * sub_group_non_uniform_all(x > 5));
  h = fold(h, sub_group_elect() + 2 * sub_group_non_uniform_all_equal(x / 50));
  uint4 b = sub_group_ballot(x & 2);
  h += b;
  h = fold(h, sub_group_inverse_ballot(b) + 2 * sub_group_ballot_bit_extract(b, x & 3));
  h = fold(h, sub_group_ballot_bit_count(b));
  h = fold(h, sub_group_ballot_inclusive_scan(b) + 100 * sub_group_ballot_exclusive_scan(b));
  h = fold(h, sub_group_ballot_find_lsb(b) + 100 * sub_group_ballot_find_msb(b));
  h += get_sub_group_eq_mask() + 3 * get_sub_group_ge_mask() + 5 * get_sub_group_gt_mask() + 7 * get_sub_group_le_mask() +
       9 * get_sub_group_lt_mask();
  return h;
}

uint4 sums(uint4 h, int x, float f) {
  h = fold(h, sub_group_non_uniform_reduce_add(x));
  h = fold(h, sub_group_non_uniform_reduce_mul((uint)x));
  h = fold(h, sub_group_non_uniform_reduce_min(x) + 1000 * sub_group_non_uniform_reduce_max(x));
  h = fold(h, sub_group_non_uniform_reduce_and(x) + 1000 * sub_group_non_uniform_reduce_or(x));
  h = fold(h, sub_group_non_uniform_reduce_xor((ulong)x) + sub_group_non_uniform_reduce_logical_xor(x & 4));
  h = fold(h, sub_group_non_uniform_scan_inclusive_add(x) + 31 * sub_group_non_uniform_scan_exclusive_add((short)x));
  h = fold(h, sub_group_non_uniform_scan_exclusive_min((uchar)x) + 31 * sub_group_non_uniform_scan_inclusive_max(x));
  h = fold(h, as_uint(sub_group_non_uniform_reduce_add(f)));
  h = fold(h, as_uint(sub_group_non_uniform_scan_inclusive_add(f)));
  h = fold(h, (uint)as_ulong(sub_group_non_uniform_scan_exclusive_mul((double)f)));
  h = fold(h, sub_group_clustered_reduce_add(x, 4u) + 1000 * sub_group_clustered_reduce_max(x, 2u));
  h = fold(h, sub_group_clustered_reduce_logical_or(x > 70, 1u));
  return h;
}

__kernel void functions(__global uint4 *out, __global const int *in) {
  uint i = get_global_id(0);
  int x = in[i];
  float f = x * 0.37f + 0.01f;
  uint4 h = (uint4)(get_sub_group_id(), get_sub_group_size(), get_num_sub_groups(), get_sub_group_local_id());
  h = fold(h, get_max_sub_group_size() + 100 * get_enqueued_num_sub_groups());
  h = sums(votes(shuffles(h, x, f, i), x), x, f);
  h = fold(h, sub_group_reduce_add(x) + sub_group_scan_exclusive_max(x) + sub_group_scan_inclusive_min(x));
  if (x % 3) h = sums(votes(shuffles(h, x + 1, f, i), x + 1), x + 1, f);
  else h.x ^= sub_group_broadcast_first(x);
  sub_group_barrier(CLK_LOCAL_MEM_FENCE);
  out[i] = h;
}
