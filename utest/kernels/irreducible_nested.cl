// An irreducible cycle inside a natural loop, and a natural loop inside an irreducible cycle.
// run: -k irreducible_nested -g 1000 b:uint:1000:rand,25 b:uint:1000
// sum: 0 f5f7ac8567d97fe6
// sum: 1 aa7377de8a1454c9
__kernel void irreducible_nested(__global const uint *in, __global uint *out) {
  uint i = get_global_id(0);
  uint v = in[i], r = v & 1023;
  for (uint k = 0; k < (v >> 28); k++) {
    uint n = 0;
    if (r & 4)
      goto second;
  first:
    r = r * 3 + k;
    for (uint j = 0; j < (r & 3); j++)
      r += j ^ n;
  second:
    r ^= r >> 5;
    if (++n < 1 + (v & 7))
      goto first;
    r++;
  }
  out[i] = r;
}
