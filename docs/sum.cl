// The sum of each work-group's numbers.
__kernel void sum(__global float *x) {
  __local float part[64];
  int l = get_local_id(0);
  part[l] = x[get_global_id(0)];
  for (int n = get_local_size(0) / 2; n > 0; n /= 2) {
    barrier(CLK_LOCAL_MEM_FENCE);
    if (l < n) part[l] += part[l + n];
  }
  if (l == 0) x[get_group_id(0)] = part[0];
}
