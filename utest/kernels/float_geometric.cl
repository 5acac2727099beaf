// dot, cross, length and distance as scalar operations in source order.
// run: -k float_geometric -g 1000 b:float4:1000:rand,100,-3,3 b:float4:1000:rand,101,-3,3 b:float:8000 b:float4:1000
// sum: 0 0e75b651dec0eaf8
// sum: 1 c51d1dafd7b0ff56
// sum: 2 a7de70f2d4b46b29
// sum: 3 b3a8a5a22b38ef88
__kernel void float_geometric(__global const float4 *a, __global const float4 *b, __global float *out, __global float4 *c) {
  int i = get_global_id(0);
  float4 x = a[i], y = b[i];
  __global float *o = out + 8 * i;
  o[0] = dot(x.xy, y.xy);
  o[1] = dot(x.xyz, y.xyz);
  o[2] = dot(x, y);
  o[3] = length(x.xy);
  o[4] = length(x.xyz);
  o[5] = distance(x.xy, y.xy);
  o[6] = distance(x.xyz, y.xyz);
  o[7] = dot(x.x, y.x);
  c[i] = cross(x, y) + (float4)(cross(x.zyx, y.xyz), 1.0f);
}
