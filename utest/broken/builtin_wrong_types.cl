// error: 5
__kernel void k(__global float *o) {
  float4 v = (float4)(1.0f);
  int3 w = (int3)(1);
  o[0] = dot(v, w);
}
