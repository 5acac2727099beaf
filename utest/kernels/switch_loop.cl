// A switch in a loop: continue continues the loop, break leaves the switch.
// run: -k switch_loop -g 1000 b:uint:1000:rand,37 b:uint:1000
// sum: 0 b8f05635eaf54eb0
// sum: 1 0e7f783b5a712ae2
__kernel void switch_loop(__global const uint *in, __global uint *out) {
  int i = get_global_id(0);
  uint v = in[i], r = 1;
  for (int k = 0; k < 16; k++) {
    uint d = (v >> (2 * k)) & 3;
    switch (d) {
    case 0:
      continue;
    case 1:
      r = r * 3 + 1;
      break;
    case 2:
      if (r & 1) {
        r >>= 1;
        continue;
      }
      r += 5;
    default:
      r ^= k;
      if (r > 100000u)
        goto done;
    }
    r += 7;
  }
done:
  out[i] = r;
}
// bench: -k switch_loop -g 200000 b:uint:200000:rand,37 b:uint:200000
// sum: 0 f4086a37f47a2708
// sum: 1 5b29485ad113303e
