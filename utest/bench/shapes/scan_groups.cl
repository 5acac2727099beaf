// Inclusive prefix sums within work-groups: log2 steps in local memory, two barriers each.
// run: -k scan_groups -g 128 -l 32 b:int:128:rand,326,0,100 b:int:128 local:128
// sum: 0 ac710b63a761a7e4
// sum: 1 bfe964dff37a04e5
// bench: -k scan_groups -g 1048576 -l 256 b:int:1048576:rand,326,0,100 b:int:1048576 local:1024
// sum: 0 362e4c94ba99b937
// sum: 1 937c67747994321c
__kernel void scan_groups(__global const int *in, __global int *out, __local int *part) {
  int i = get_global_id(0), l = get_local_id(0), n = get_local_size(0);
  part[l] = in[i];
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int s = 1; s < n; s *= 2) {
    int add = l >= s ? part[l - s] : 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    part[l] += add;
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  out[i] = part[l];
}
