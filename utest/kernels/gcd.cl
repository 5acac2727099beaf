// Euclid's and the binary algorithm for the same pairs.
// run: -k gcd -g 1000 b:uint:1000:rand,222 b:uint:1000:rand,223 b:uint:2000
// sum: 0 159c114c8e07d44c
// sum: 1 29673f8084e15157
// sum: 2 387988819babbbe5
__kernel void gcd(__global const uint *a, __global const uint *b, __global uint *out) {
  int i = get_global_id(0);
  uint x = a[i] >> 4, y = b[i] >> 9;
  uint p = x, q = y;
  while (q) {
    uint t = p % q;
    p = q;
    q = t;
  }
  out[2 * i] = p;
  uint shift = 0;
  if (x == 0 || y == 0) {
    out[2 * i + 1] = x | y;
    return;
  }
  while (((x | y) & 1) == 0) {
    x >>= 1;
    y >>= 1;
    shift++;
  }
  while ((x & 1) == 0)
    x >>= 1;
  do {
    while ((y & 1) == 0)
      y >>= 1;
    if (x > y) {
      uint t = x;
      x = y;
      y = t;
    }
    y -= x;
  } while (y != 0);
  out[2 * i + 1] = x << shift;
}
// bench: -k gcd -g 100000 b:uint:100000:rand,222 b:uint:100000:rand,223 b:uint:200000
// sum: 0 e42d84606aaf82d3
// sum: 1 14806e095679db78
// sum: 2 acd62647fe91c125
