// error: 4
__kernel void k(__global int4 *o) {
  float4 f = (float4)(1.0f);
  o[0] = (int4)f;
}
