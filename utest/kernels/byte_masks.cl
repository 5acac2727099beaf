// Bytes and shorts with masks of their width: divergent branches and loops, masked and strided
// accesses, atomics and gathers, and ints that are combined with such masks.
//
// run: -k classes -g 300 b:uchar:300:rand,301 b:uchar:300
// sum: 1 895b5731b9955221
// run: -k loops -g 300 b:uchar:300:rand,302 b:uchar:300
// sum: 1 c3eb6136d947076d
// run: -k shorts -g 300 b:short:300:rand,303 b:short:300
// sum: 1 393c764c4a5b5eec
// run: -k mixed -g 300 b:uchar:1200:rand,304 b:uchar:600 b:int:300
// sum: 1 9a7fa518c7a1b4c9
// sum: 2 f59d0215d4964897
// run: -k counts -g 300 b:uchar:300:rand,305 b:int:8 b:uchar:300
// sum: 1 5295287f1ba13df4
// sum: 2 ccac39b787996063
// run: -k switches -g 300 b:uchar:300:rand,306 b:uchar:300
// sum: 1 9d7b35f7d54b8e38
__kernel void classes(__global const uchar *in, __global uchar *out) {
  size_t i = get_global_id(0);
  uchar x = in[i], r = 7;
  if (x >= 'a' && x <= 'z')
    r = x - 'a';
  else if (x >= 'A' && x <= 'Z')
    r = max((uchar)(x ^ 0x20), in[i ^ 1]);
  else if (x > 200)
    r = add_sat(x, (uchar)40) - (x >> 3);
  if (r != 7)
    out[i] = abs_diff(r, x);
}

__kernel void loops(__global const uchar *in, __global uchar *out) {
  size_t i = get_global_id(0);
  uchar x = in[i], n = 0;
  while (x > 3) {
    x = x > 100 ? x - 50 : x - 3;
    if (x == 33)
      break;
    n++;
  }
  out[i] = n + x;
}

__kernel void shorts(__global const short *in, __global short *out) {
  size_t i = get_global_id(0);
  short x = in[i], y = in[299 - i];
  if (x < y) {
    short s = 0;
    for (short k = x & 7; k >= 0; k--)
      s += min(x, (short)(y * k));
    out[i] = s;
  } else if (x & 1)
    out[i] = abs(x) >> (y & 7);
}

__kernel void mixed(__global const uchar *in, __global uchar *out, __global int *sums) {
  size_t i = get_global_id(0);
  uchar a = in[4 * i], b = in[4 * i + 1], c = in[4 * i + 2];
  if (a > b) {
    sums[i] = a * 1000 + c;
    out[i] = in[a + b + c];
  } else if (c & 4)
    out[300 + (i + 150) % 300] = a - c;
}

__kernel void counts(__global const uchar *in, __global int *sums, __global uchar *out) {
  size_t i = get_global_id(0);
  uchar x = in[i];
  if (x > 60) {
    atomic_add(&sums[x & 3], x);
    if (x < 200)
      atomic_inc(&sums[4 + (x & 1)]);
  }
  uchar y = x;
  for (int k = 0; k < 20 && y > 30; k++)
    y = y / 2 + (uchar)k;
  out[i] = y;
}

__kernel void switches(__global const uchar *in, __global uchar *out) {
  size_t i = get_global_id(0);
  uchar x = in[i], r = x;
  switch (x & 7) {
  case 0: r = x + 1; break;
  case 1: r = max(x, (uchar)99);
  case 2: r ^= 0x55; break;
  case 5: r = x < 128 ? x : 255 - x; break;
  case 6: return;
  }
  out[i] = r;
}
