// Exponentials, logarithms and powers over their ranges, also on vectors.
// run: -k scalars -g 1000 b:float:1000:rand,31,-110,95 b:float:16000
// sum: 1 d241dc244290a6a6
// run: -k vectors -g 250 b:float4:250:rand,32,0.001,20 b:float4:250:rand,33,-9,9 b:float4:1000
// sum: 2 3fd1054bc16287ca
// run: -k doubles -g 300 b:double:300:rand,34,0.01,40 b:double:3600
// sum: 1 4ee5eebfb6a77681
__kernel void scalars(__global const float *in, __global float *out) {
  size_t i = get_global_id(0);
  float x = in[i], a = fabs(x) * 0x1p-20f;
  __global float *o = out + 16 * i;
  o[0] = exp(x);
  o[1] = exp2(x);
  o[2] = exp10(x * 0.4f);
  o[3] = expm1(x * 0.1f);
  o[4] = log(a);
  o[5] = log2(a);
  o[6] = log10(a);
  o[7] = log1p(a);
  o[8] = pow(a, x);
  o[9] = pow(x, 3.0f);
  o[10] = powr(fabs(x), 0.75f);
  o[11] = pown(x, (int)(i % 17) - 8);
  o[12] = rootn(x, (int)(i % 9) * 2 + 1);
  o[13] = rootn(a, -2);
  if (x > 0) {
    o[14] = log(x);
    o[15] = exp(-x);
  }
}
__kernel void vectors(__global const float4 *x, __global const float4 *y, __global float4 *out) {
  size_t i = get_global_id(0);
  out[4 * i] = exp(y[i]);
  out[4 * i + 1] = log(x[i]);
  out[4 * i + 2] = pow(x[i], y[i]);
  out[4 * i + 3] = pown(y[i], (int4)(2, 3, -1, 0));
}
__kernel void doubles(__global const double *in, __global double *out) {
  size_t i = get_global_id(0);
  double x = in[i];
  __global double *o = out + 12 * i;
  o[0] = exp(x - 20);
  o[1] = exp2(x - 20);
  o[2] = exp10(20 - x);
  o[3] = expm1(x - 20);
  o[4] = log(x);
  o[5] = log2(x);
  o[6] = log10(x);
  o[7] = log1p(x);
  o[8] = pow(x, 20 - x);
  o[9] = powr(x, x);
  o[10] = pown(20 - x, (int)(i % 7) - 3);
  o[11] = rootn(x, (int)(i % 5) + 1);
}
