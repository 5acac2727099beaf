// Values exchanged around a loop: parallel copies with cycles, under divergence.
// run: -k swap_in_loop -g 1000 b:uint:1000:rand,126 b:uint:3000
// sum: 0 4a6d62bd1069c0cf
// sum: 1 18acf50b14ffeaf8
__kernel void swap_in_loop(__global const uint *in, __global uint *out) {
  uint i = get_global_id(0);
  uint a = in[i], b = i, c = 7, n = in[i] >> 27;
  for (uint k = 0; k < n; k++) {
    uint t = a;
    a = b;
    b = c;
    c = t;
    if ((k ^ in[i]) & 1) {
      t = a;
      a = c;
      c = t + 1;
    }
  }
  out[3 * i] = a;
  out[3 * i + 1] = b;
  out[3 * i + 2] = c;
}
