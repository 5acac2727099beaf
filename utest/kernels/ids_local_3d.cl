// Local and group ids of a 3-D range with a local size.
// run: -k ids_local_3d -g 8,4,6 -l 4,2,3 b:uint:192 b:uint:192
// sum: 0 da33015dbb356665
// sum: 1 7772bf90e60d5fa5
// run: -k ids_local_3d -g 6,4,2 -l 1,4,2 b:uint:48 b:uint:48
// sum: 0 0bfc6eb620336235
// sum: 1 3a42e249cf541845
__kernel void ids_local_3d(__global uint *out, __global uint *groups) {
  size_t x = get_global_id(0), y = get_global_id(1), z = get_global_id(2);
  size_t at = (z * get_global_size(1) + y) * get_global_size(0) + x;
  size_t lx = get_local_id(0), ly = get_local_id(1), lz = get_local_id(2);
  out[at] = lx + 10 * ly + 100 * lz + 1000 * get_local_size(0) + 10000 * get_local_size(1) + 100000 * get_local_size(2);
  groups[at] = get_group_id(0) + 10 * get_group_id(1) + 100 * get_group_id(2) +
               1000 * get_num_groups(0) + 10000 * get_num_groups(1) + 100000 * get_num_groups(2);
}
