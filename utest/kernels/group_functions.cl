// Functions of whole work-groups; the results do not depend on the number of lanes.
// run: -k reduce -g 300 -l 75 b:int:300:zero b:int:300:rand,9,0,100
// sum: 0 745eacef6710ba5e the interpreter's: the driver lacks the functions
// sum: 1 33b7fc88f1ca2ef3 the interpreter's: the driver lacks the functions
// run: -k plane -g 40,12 -l 20,4 b:long:480:zero b:int:480:rand,9,0,100
// sum: 0 112a34fdeefd4a19 the interpreter's: the driver lacks the functions
// sum: 1 5ae873611d806838 the interpreter's: the driver lacks the functions
__kernel void reduce(__global int *out, __global const int *in) {
  size_t i = get_global_id(0);
  int x = in[i], r = work_group_reduce_add(x);
  r = r * 31 + work_group_reduce_min(x);
  r = r * 31 + work_group_reduce_max(x);
  r = r * 31 + work_group_scan_inclusive_add(x);
  r = r * 31 + work_group_scan_exclusive_add(x);
  r = r * 31 + work_group_scan_inclusive_max(x);
  r = r * 31 + work_group_scan_exclusive_min(x);
  r = r * 31 + work_group_scan_exclusive_max(x);
  for (int k = 0; k < 3; k++) r = r * 31 + work_group_broadcast(x + k, (size_t)(k + r % 2 * 0));
  if (work_group_all(x > 2)) r += 1000;
  if (work_group_any(x > 97)) r += 10000;
  out[i] = r;
}

__kernel void plane(__global long *out, __global const int *in) {
  size_t i = get_global_id(0) + get_global_size(0) * get_global_id(1);
  long x = in[i];
  long s = work_group_scan_inclusive_add(x) + 1000 * work_group_scan_exclusive_max((short)x);
  out[i] = s + 7 * work_group_broadcast(x, 1, 2) + 3 * work_group_reduce_max((uint)x);
}
