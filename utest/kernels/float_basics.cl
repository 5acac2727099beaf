// Rounding, fmin, fmax, fabs, sqrt, fma, copysign and the contraction of a*b+c.
// run: -k float_basics -g 1000 b:float4:1000:rand,98,-8,8 b:float:16000
// sum: 0 49e33ceaceed69f9
// sum: 1 e48a97c2c344e495
__kernel void float_basics(__global const float4 *in, __global float *out) {
  int i = get_global_id(0);
  float x = in[i].x, y = in[i].y, z = in[i].z, w = in[i].w;
  __global float *o = out + 16 * i;
  o[0] = floor(x) + ceil(y) * 100.0f;
  o[1] = trunc(x) + rint(y) * 100.0f;
  o[2] = round(x);
  o[3] = fabs(x) + fmin(y, z);
  o[4] = fmax(x, w) - fmax(y, 0.0f);
  o[5] = sqrt(fabs(x));
  o[6] = fma(x, y, z);
  o[7] = x * y + z;
  o[8] = x * y - z * w;
  o[9] = z - x * y;
  o[10] = x / (y + 9.0f);
  float product = x * y;
  o[11] = product + z;
  o[12] = copysign(x, y) + clamp(z, -1.0f, 1.0f);
  float s = x;
  s += y * z;
  o[13] = s;
  o[14] = max(x, y) + min(z, w);
  o[15] = x * y * z + w * (x + y);
}
