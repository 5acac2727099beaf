// upsample of every pair of types (OpenCL C 1.2 6.12.3).
// run: -k lib_upsample -g 61 b:uint:122:rand,9 b:ulong8:61
// sum: 0 7da46218da768fa6
// sum: 1 64f3172146fd4431
__kernel void lib_upsample(__global const uint *in, __global ulong8 *out) {
  int i = get_global_id(0);
  uint a = in[2 * i], b = in[2 * i + 1];
  ulong8 r;
  r.s0 = (ulong)upsample((char)a, (uchar)b);
  r.s1 = upsample((uchar)a, (uchar)b);
  r.s2 = (ulong)upsample((short)a, (ushort)b);
  r.s3 = upsample((ushort)a, (ushort)b);
  r.s4 = (ulong)upsample((int)a, b);
  r.s5 = upsample(a, b);
  r.s6 = as_ulong(upsample(as_char4(a), as_uchar4(b)));
  r.s7 = as_ulong(upsample(as_ushort2(a), as_ushort2(b)));
  out[i] = r;
}
