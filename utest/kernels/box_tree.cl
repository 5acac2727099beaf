// Rays through a tree of boxes in depth-first order: a hit goes on to the next box, a miss skips those within.
// run: -k box_tree -g 60 b:float4:128:rand,9,-1,2 b:float4:60:rand,8,-1,1 b:float4:60:rand,4,-2,2 b:int:60 int:64
// sum: 3 6b3da2f13752d2c6
__kernel void box_tree(__global const float4 *boxes, __global const float4 *from, __global const float4 *along, __global int *out, int count) {
  int i = get_global_id(0);
  float4 p = from[i], q = along[i];
  int n = 0, hits = 0;
  while (n < count) {
    float4 low = boxes[2 * n], high = boxes[2 * n + 1];
    float4 t0 = (low - p) * q, t1 = (high - p) * q;
    float4 near = fmin(t0, t1), far = fmax(t0, t1);
    bool hit = fmax(fmax(near.x, near.y), near.z) <= fmin(fmin(far.x, far.y), far.z);
    hits = hits * 3 + hit;
    n = hit ? n + 1 : n + 1 + (as_int(low.w) & 7);
  }
  out[i] = hits;
}
