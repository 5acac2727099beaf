// Prefix sums by Hillis and Steele in two alternating halves of local memory, and
// a three-dimensional group.
// run: -k scan -g 4,4,4 -l 4,2,4 b:int:64:rand,6,0,100 b:int:64
// sum: 0 ea21ba026ef69947
// sum: 1 a32df9c41c9b0f1c
__kernel void scan(__global const int *in, __global int *out) {
  __local int t[2][32];
  int l = (get_local_id(2) * get_local_size(1) + get_local_id(1)) * get_local_size(0) + get_local_id(0);
  int g = (get_global_id(2) * get_global_size(1) + get_global_id(1)) * get_global_size(0) + get_global_id(0);
  int now = 0;
  t[0][l] = in[g];
  for (int d = 1; d < 32; d *= 2) {
    barrier(CLK_LOCAL_MEM_FENCE);
    t[1 - now][l] = t[now][l] + (l >= d ? t[now][l - d] : 0);
    now = 1 - now;
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  out[g] = t[now][31 - l];
}
