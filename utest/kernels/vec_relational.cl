// Vector comparisons give -1 and 0; the vector conditional; any, all, select, bitselect.
// run: -k vec_relational -g 1000 b:int4:1000:rand,72,-3,3 b:float4:1000:rand,73,-2,2 b:int4:1000 b:float4:1000
// sum: 0 cd603ebb4bb784cc
// sum: 1 63ec762b4e628c08
// sum: 2 bdc229d0e00cfea9
// sum: 3 8bac59e75de1d0be
__kernel void vec_relational(__global const int4 *a, __global const float4 *f, __global int4 *out, __global float4 *fout) {
  int i = get_global_id(0);
  int4 v = a[i];
  float4 x = f[i];
  int4 lt = v < 1, eq = v == v.wzyx, fl = x >= 0.0f;
  int4 r = lt ? v * 10 : eq;
  r += fl & 7;
  r ^= (v && (int4)(1, 0, 1, 0)) | !v;
  if (any(lt) && !all(eq))
    r -= 100;
  fout[i] = fl ? x : -x * 2.0f;
  fout[i] += select(x, (float4)(8.0f), v > 0);
  fout[i].x = bitselect(x.x, 1.0f, 0.5f);
  out[i] = bitselect(r, v, (int4)(0x0f, 0xf0, -1, 0));
}
