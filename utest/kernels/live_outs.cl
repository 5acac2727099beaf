// Values of a loop used after it: by some lanes, from several exits, from an inner loop.
// run: -k live_outs -g 1000 b:uint:1000:rand,135 b:uint:3000
// sum: 0 4f054871bf05d86a
// sum: 1 e8b2a0e2510bf579
__kernel void live_outs(__global const uint *in, __global uint *out) {
  uint i = get_global_id(0), v = in[i];
  uint a = 0, b = 1, c = 2, inner = 0;
  for (uint k = 0; k < 20; k++) {
    uint t = a + b;
    a = b;
    b = t;
    uint j;
    for (j = k; j < 25; j++) {
      c = c * 3 + j;
      if ((c ^ v) % 7 == 1)
        break;
    }
    inner = j;
    if ((v >> k) % 9 == 4) {
      c = k;
      break;
    }
    if ((v + b) % 31 == 8)
      break;
  }
  out[3 * i] = a + b;
  out[3 * i + 1] = c;
  if (v & 1)
    out[3 * i + 2] = inner;
}
