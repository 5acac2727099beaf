// The longest 3n+1 chain among eight starts, 64 bits.
// run: -k collatz_long -g 300 b:ulong:300:rand,201,1,1000000 b:uint:600
// sum: 0 e24fe819c1986ef7
// sum: 1 326140a7148ff092
__kernel void collatz_long(__global const ulong *start, __global uint *out) {
  size_t i = get_global_id(0);
  uint best = 0, who = 0;
  for (uint s = 0; s < 8; s++) {
    ulong n = start[i] + s;
    uint k = 0;
    for (; n != 1; k++) {
      if (n & 1)
        n = 3 * n + 1;
      else
        n /= 2;
    }
    if (k > best) {
      best = k;
      who = s;
    }
  }
  out[2 * i] = best;
  out[2 * i + 1] = who;
}
