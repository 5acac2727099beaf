// Every kind of statement under a divergent if, with declarations between.
// run: -k statements -g 1000 b:uint:1000:rand,134 b:uint:1000
// sum: 0 599f6ad43d23aa07
// sum: 1 5fbd0d20d926b1e7
__kernel void statements(__global const uint *in, __global uint *out) {
  uint i = get_global_id(0), v = in[i], r = 0;
  if (v % 3) {
    uint a = v >> 4;
    ;
    {
    }
    for (; a > 100;) {
      a /= 2;
      if (a == 333)
        continue;
      r += a;
    }
    uint b = a + 1;
    while (b % 7)
      b++;
    do
      r += b--;
    while (b > 50);
    switch (b & 3)
    default:
      r += 5;
    switch (v & 7) {
    }
    if (r & 8)
      ;
    else
      r += 3;
    goto skip;
    r = 12345;
  skip:;
    uint c = r ? r : 1;
    for (uint d = 0, e = 10; d < e; d++, --e)
      c += d * e;
    r = c;
  } else if (v % 5) {
    return;
  }
  out[i] = r;
}
