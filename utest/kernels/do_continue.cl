// do-while whose continue goes to the test, and while whose continue skips the increment.
// run: -k do_continue -g 1000 b:uint:1000:rand,45,0,500 b:uint:2000
// sum: 0 ad6727075bfaf107
// sum: 1 0e51a3f5573720e7
__kernel void do_continue(__global const uint *in, __global uint *out) {
  uint i = get_global_id(0);
  uint v = in[i], r = 0, n = 0;
  do {
    n++;
    if (n & v & 1)
      continue;
    r += n * v;
    if (r % 5 == 1)
      continue;
    r++;
  } while (n < (v & 31));
  out[2 * i] = r;
  uint k = 0;
  r = 0;
  while (k++ < (v >> 4)) {
    if ((k ^ v) & 2)
      continue;
    r = r * 2 + k;
  }
  out[2 * i + 1] = r + k;
}
