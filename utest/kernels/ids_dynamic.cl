// The dimension argument of the ID functions is computed at run time, in and out of range.
// (PoCL 3.1 gives sizes of 0 in dimensions past the third; OpenCL C says 1.)
// run: -k ids_dynamic -g 12,6 -l 4,3 b:uint:2:index,1 b:uint:720
// sum: 0 08cd4c29d1e47d34
// sum: 1 d8dc718e3831a179 (the kernel as C; PoCL 3.1 differs)
__kernel void ids_dynamic(__global const uint *dims, __global uint *out) {
  size_t at = get_global_id(dims[1]) * get_global_size(dims[0]) + get_global_id(dims[0]);
  for (uint d = 0; d < 5; d++) {
    uint r = get_global_id(d) + 100 * get_local_id(d) + 1000 * get_group_id(d);
    r += 10000 * get_global_size(d) + 1000000 * get_local_size(d) + 100000000 * get_num_groups(d);
    out[at * 10 + d] = r;
  }
  for (uint d = 0; d < 5; d++)
    out[at * 10 + 5 + d] = get_global_id((uint)(at + d) % 3);
}
