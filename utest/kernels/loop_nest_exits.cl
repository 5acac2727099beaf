// A nest of three loops; each level has a uniform exit, then a varying one.
// run: -k loop_nest_exits -g 1000 b:uint:1000:rand,121 b:uint:1000 uint:3 uint:4
// sum: 0 f57d5e41f44a6144
// sum: 1 a36657ad87db3f69
// run: -k loop_nest_exits -g 1000 b:uint:1000:rand,121,0,3 b:uint:1000 uint:5 uint:2
// sum: 0 fce76168f88a29e7
// sum: 1 e08b00d738f0ed2c
__kernel void loop_nest_exits(__global const uint *in, __global uint *out, uint n, uint m) {
  uint i = get_global_id(0);
  uint v = in[i], r = 1;
  for (uint a = 0;; a++) {
    if (a == n)
      break;
    for (uint b = 0;; b++) {
      if (b * b > (v & 31))
        break;
      for (uint c = 0;; c++) {
        if (c == m)
          break;
        r = r * 5 + (a ^ b) + c;
        if ((r & 63) == 11)
          goto leave_b;
      }
      if (b == n + m)
        break;
    }
  leave_b:
    for (uint c = a; c < m + a; c++)
      if ((v >> c) & 1) {
        r ^= c;
        if (r % 5 == 0)
          break;
      }
    if (r % 1000 == 999)
      return;
  }
  out[i] = r;
}
