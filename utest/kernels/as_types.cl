// as_type reinterpretation, scalar and vector.
// run: -k as_types -g 1000 b:uint4:1000:rand,89 b:uint4:1000 b:float:1000:rand,90,-1,1 b:int:1000
// sum: 0 ee2108b784c8d013
// sum: 1 22eddf9dff0b43e1
// sum: 2 149902f208374216
// sum: 3 27288721e10e8724
__kernel void as_types(__global const uint4 *in, __global uint4 *out, __global const float *f, __global int *fi) {
  int i = get_global_id(0);
  uint4 v = in[i];
  uchar16 b = as_uchar16(v);
  b = b.s3210765432109876 + (uchar)1;
  v = as_uint4(b) ^ as_uint4(as_ushort8(v).s10325476);
  ulong2 w = as_ulong2(v);
  w = w * 3ul;
  out[i] = as_uint4(w);
  int bits = as_int(f[i]);
  int exponent = (bits >> 23) & 0xff;
  fi[i] = exponent + (bits < 0 ? 1000 : 0) + (as_float(bits & 0x7fffffff) > 0.5f) * 2000;
}
