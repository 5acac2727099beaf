// uchar16 and char8 arithmetic, wrapping, with compares and shifts.
// run: -k vec_bytes -g 300 b:uchar16:300:rand,77 b:uchar16:300 b:char8:300:rand,78 b:char8:300
// sum: 0 8e555e15811654a8
// sum: 1 3cdf83224f252528
// sum: 2 85817bcf4af6f163
// sum: 3 9464198776fef73c
__kernel void vec_bytes(__global const uchar16 *in, __global uchar16 *out, __global const char8 *sin, __global char8 *sout) {
  int i = get_global_id(0);
  uchar16 v = in[i];
  uchar16 w = v * (uchar)3 + v.s1032547698badcfe;
  w ^= w >> (uchar)2;
  w = max(w, v) - min(w, v);
  out[i] = w;
  char8 s = sin[i];
  char8 neg = s < (char8)0;
  s = (s / (char)3) ^ neg;
  s += (char8)(s.even, s.odd);
  sout[i] = s >> (char)1;
}
