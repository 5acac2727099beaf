// Uniform branches in divergent regions and divergent ones in uniform regions.
// run: -k uniform_branches -g 1000 b:uint:1000:rand,122 b:uint:1000 uint:5 uint:0
// sum: 0 3945c3cc36188748
// sum: 1 64d9e49820513f72
// run: -k uniform_branches -g 1000 b:uint:1000:rand,122 b:uint:1000 uint:0 uint:9
// sum: 0 3945c3cc36188748
// sum: 1 0f4015cacd27a58c
__kernel void uniform_branches(__global const uint *in, __global uint *out, uint n, uint m) {
  uint i = get_global_id(0), v = in[i], r = v & 0xff;
  if (n > 3) {
    if (v & 1)
      r += 5;
    for (uint k = 0; k < n; k++)
      if (v >> k & 1)
        r = r * 3 + k;
  } else {
    r ^= 0xf0;
  }
  if (v & 2) {
    if (m) {
      r += m;
      for (uint k = 0; k < m; k++)
        r ^= k << 2;
    } else
      r -= 11;
    if (n & 1)
      out[i] = r;
  }
  while (m < n) {
    r += v % (m + 1);
    m++;
    if (n == 77)
      return;
  }
  out[i] += r;
}
