// vload and vstore of all widths at unaligned element offsets, and vectors accessed through scalar pointers.
// run: -k vec_mem -g 100 b:short:2000:rand,74 b:short:2000 b:float:400:rand,75 b:float:400
// sum: 0 1b8b35a0f4cbfdba
// sum: 1 301b9eeaee505542
// sum: 2 3a52fa7ba335db9a
// sum: 3 3d006bf49165c261
__kernel void vec_mem(__global const short *in, __global short *out, __global const float *fin, __global float *fout) {
  int i = get_global_id(0);
  short3 a = vload3(i, in);
  short4 b = vload4(i, in + 1);
  short8 c = vload8(i, in + 3);
  short16 d = vload16(i, in + 7);
  short2 e = vload2(i, in);
  out[20 * i] = a.x;
  vstore3(a.zyx + b.xyz, i * 0, out + 20 * i + 1);
  vstore8(c - d.lo, 0, out + 20 * i + 4);
  vstore4(b ^ d.hi.even, 0, out + 20 * i + 12);
  vstore2(e * (short)3, 0, out + 20 * i + 16);
  out[20 * i + 18] = d.sf;
  out[20 * i + 19] = (short)i;
  float4 f = *(__global const float4 *)(fin + 4 * i);
  if (f.x > 0.5f)
    vstore4(f.wzyx, i, fout);
  else
    vstore2(f.xy, 2 * i + 1, fout);
}
