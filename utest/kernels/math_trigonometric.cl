// Sine, cosine and tangent of small and large angles; some lanes have angles
// that need the reduction for large ones.
// run: -k scalars -g 1000 b:float:1000:rand,41,-400,400 b:float:10000
// sum: 1 51fe192b40f456a4
// run: -k vectors -g 250 b:float4:250:rand,42,-9,9 b:float4:1000
// sum: 1 a38b594c670229bb
// run: -k doubles -g 300 b:double:300:rand,43,-4000,4000 b:double:2700
// sum: 1 ec3c939787a3f561
__kernel void scalars(__global const float *in, __global float *out) {
  size_t i = get_global_id(0);
  float x = in[i], c;
  float far = i % 5 == 0 ? x * 0x1p60f : x;
  __global float *o = out + 10 * i;
  o[0] = sin(x);
  o[1] = cos(x);
  o[2] = tan(x);
  o[3] = sin(far);
  o[4] = cos(far);
  o[5] = tan(far);
  o[6] = sincos(x, &c);
  o[7] = sinpi(x) + c;
  o[8] = cospi(x);
  o[9] = tanpi(x);
}
__kernel void vectors(__global const float4 *x, __global float4 *out) {
  size_t i = get_global_id(0);
  float4 c;
  out[4 * i] = sin(x[i]);
  out[4 * i + 1] = cos(x[i] * 1e20f);
  out[4 * i + 2] = sincos(x[i], &c);
  out[4 * i + 3] = c;
}
__kernel void doubles(__global const double *in, __global double *out) {
  size_t i = get_global_id(0);
  double x = in[i], c;
  double far = i % 7 == 0 ? x * 0x1p600 : x;
  __global double *o = out + 9 * i;
  o[0] = sin(x);
  o[1] = cos(x);
  o[2] = tan(x);
  o[3] = sin(far);
  o[4] = cos(far);
  o[5] = tan(far);
  o[6] = sinpi(x);
  o[7] = cospi(x);
  o[8] = tanpi(x);
}
