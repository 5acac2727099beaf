// Matrix product by tiles in local memory, two barriers per iteration.
// run: -k mm -g 32,32 -l 8,8 b:float:1024:rand,1 b:float:1024:rand,2 b:float:1024 int:32
// sum: 0 3af1fcd98807e3a1
// sum: 1 7bcb9f10aef891ea
// sum: 2 cd7ef4cb086fa517
#define TS 8
__kernel void mm(__global const float *a, __global const float *b, __global float *c, int n) {
  __local float ta[TS][TS], tb[TS][TS];
  int x = get_local_id(0), y = get_local_id(1);
  int gx = get_global_id(0), gy = get_global_id(1);
  float acc = 0;
  for (int t = 0; t < n / TS; t++) {
    ta[y][x] = a[gy * n + t * TS + x];
    tb[y][x] = b[(t * TS + y) * n + gx];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int k = 0; k < TS; k++) acc += ta[y][k] * tb[k][x];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  c[gy * n + gx] = acc;
}
