// Breaks and continues at each of three levels.
// run: -k nest_breaks -g 1000 b:uint:1000:rand,13 b:uint:1000
// sum: 0 c3628958be6fd21e
// sum: 1 1f30caf6b517785a
// run: -k nest_breaks -g 1000 b:uint:1000:const,77 b:uint:1000
// sum: 0 a162573010c7d765
// sum: 1 a162573010c7d765
__kernel void nest_breaks(__global const uint *in, __global uint *out) {
  int id = get_global_id(0);
  uint v = in[id], r = v & 0xff;
  for (int i = 0; i < 6; i++) {
    if (((v >> i) & 3) == 3)
      continue;
    for (int j = 0; j < 5; j++) {
      if (((r >> j) & 7) == 5)
        break;
      int k = 0;
      while (k < 4) {
        k++;
        if ((r & 15) == 9)
          break;
        if ((r ^ v) & 1) {
          r = r * 3 + 1;
          continue;
        }
        r += v >> k;
      }
      r = r * 5 + j;
      if (r % 11 == 4)
        break;
    }
    if (r % 13 == 2)
      break;
  }
  out[id] = r;
}
// bench: -k nest_breaks -g 200000 b:uint:200000:rand,13 b:uint:200000
// sum: 0 9eb233038b52e13b
// sum: 1 2ccdab89e7b82fbd
