// The common functions: mix, step, smoothstep, sign, degrees, radians, mad, rsqrt of exact squares.
// run: -k float_common -g 1000 b:float4:1000:rand,99,-3,3 b:float:8000
// sum: 0 d8e44787f01a068f
// sum: 1 8c7e5064f0115583
__kernel void float_common(__global const float4 *in, __global float *out) {
  int i = get_global_id(0);
  float x = in[i].x, y = in[i].y, z = in[i].z;
  __global float *o = out + 8 * i;
  o[0] = mix(x, y, z);
  o[1] = step(x, y) + step(0.5f, z) * 2.0f;
  o[2] = smoothstep(-1.0f, 1.0f, x);
  o[3] = sign(x) * 10.0f + sign(0.0f);
  o[4] = degrees(x);
  o[5] = radians(y);
  o[6] = mad(x, y, z);
  o[7] = clamp(x, y, y + 1.0f);
}
