// Early returns from a loop and from the loop inside it.
// run: -k return_in_loop -g 1000 b:uint:1000:rand,43 b:uint:1000:const,5
// sum: 0 bfaa4b0679f4b0c2
// sum: 1 aae57806eb3c4c67
__kernel void return_in_loop(__global const uint *in, __global uint *out) {
  uint i = get_global_id(0);
  uint v = in[i];
  for (uint a = 0; a < 8; a++) {
    if (v % 10 == 3) {
      out[i] = a;
      return;
    }
    uint b = v;
    while (b > 16) {
      b /= 3;
      if (b == 31) {
        out[i] = 1000 + a;
        return;
      }
      if (b % 97 == 1)
        return;
    }
    v = v * 1664525u + 1013904223u;
  }
  out[i] = v;
}
