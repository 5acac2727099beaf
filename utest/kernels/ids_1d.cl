// Every id function in one dimension, with a local size, an offset and out-of-range dimensions.
// run: -k ids_1d -g 96 -l 8 b:int:1536
// sum: 0 b529c6a2fdcb4a25
// run: -k ids_1d -g 96 -l 16 --offset 5 b:int:1632
// sum: 0 02a35d2da11c0b45
// run: -k ids_1d -g 7 -l 7 b:int:112
// sum: 0 27749281500941d7
__kernel void ids_1d(__global int *out) {
  size_t g = get_global_id(0);
  __global int *o = out + 16 * g;
  o[0] = g;
  o[1] = get_local_id(0);
  o[2] = get_group_id(0);
  o[3] = get_num_groups(0);
  o[4] = get_global_size(0);
  o[5] = get_local_size(0);
  o[6] = get_global_offset(0);
  o[7] = get_work_dim();
  o[8] = get_global_id(1) + get_global_id(2);
  o[9] = get_global_size(1) * 10 + get_global_size(2);
  o[10] = get_local_size(1) * 10 + get_local_size(2);
  o[11] = get_num_groups(1) * 10 + get_num_groups(2);
  o[12] = get_local_id(1) + get_group_id(2) + get_global_offset(1);
  o[13] = get_group_id(0) * get_local_size(0) + get_local_id(0) + get_global_offset(0) == g;
  o[14] = get_global_id(3) + get_local_id(4);
  o[15] = sizeof(get_global_id(0));
}
