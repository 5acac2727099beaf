// gotos out of two and three levels of loops, to different targets.
// run: -k goto_nest -g 1000 b:uint:1000:rand,17 b:uint:1000
// sum: 0 e0df4083c3e10347
// sum: 1 bc84817b324daf66
// run: -k goto_nest -g 1000 b:uint:1000:const,3 b:uint:1000
// sum: 0 678f31dc23f2e4e5
// sum: 1 ea01560fa8a67fd5
__kernel void goto_nest(__global const uint *in, __global uint *out) {
  int id = get_global_id(0);
  uint v = in[id], r = v;
  int a, b, c;
  for (a = 0; a < 5; a++) {
    for (b = 0; b < 5; b++) {
      for (c = 0; c < 5; c++) {
        r = r * 1103515245u + 12345u;
        if ((r >> 16) % 23 == 0)
          goto next_a;
        if ((r >> 16) % 41 == 1)
          goto done;
        if ((r >> 16) % 59 == 2)
          goto far;
      }
      r ^= b;
    }
  next_a:
    r += a;
  }
  r = ~r;
done:
  r ^= 0xabcdef;
far:
  out[id] = r + a * 100 + b * 10;
}
