// A switch in a switch in a loop, the inner one leaving the outer by goto.
// run: -k switch_nested -g 1000 b:uint:1000:rand,39 b:uint:1000
// sum: 0 625eb69d549fcd46
// sum: 1 d73f8c4ea4ecc45c
__kernel void switch_nested(__global const uint *in, __global uint *out) {
  uint i = get_global_id(0);
  uint v = in[i], r = 0;
  do {
    switch (v & 3) {
    case 0:
      switch ((v >> 2) & 3) {
      case 0: r += 1; break;
      case 1: r += 2;
      case 2: r += 4; goto after;
      default: r *= 2;
      }
      r += 8;
      break;
    case 1:
      r ^= 0x10;
      break;
    case 3:
      switch (r & 1) {
      default:
        r += 31;
        break;
      case 1:
        r += 64;
      }
    }
    r += 128;
  after:
    v >>= 3;
  } while (v != 0);
  out[i] = r;
}
