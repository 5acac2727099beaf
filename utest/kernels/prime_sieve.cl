// Each work-item sieves its own segment of 64 numbers into the bits of two words.
// run: -k prime_sieve -g 200 b:uint:200 b:uint:400
// sum: 0 661d86a6a56e8b99
// sum: 1 e603ad838726f0db
__kernel void prime_sieve(__global uint *count, __global uint *bits) {
  uint i = get_global_id(0);
  uint base = i * 64;
  uint composite[2] = {0, 0};
  for (uint p = 2; p * p < base + 64; p++) {
    uint q = (base + p - 1) / p * p;
    if (q < p * p)
      q = p * p;
    for (; q < base + 64; q += p)
      composite[(q - base) >> 5] |= 1u << ((q - base) & 31);
  }
  if (base == 0)
    composite[0] |= 3;
  uint n = 0;
  for (int w = 0; w < 2; w++) {
    bits[2 * i + w] = ~composite[w];
    for (uint x = ~composite[w]; x; x &= x - 1)
      n++;
  }
  count[i] = n;
}
// bench: -k prime_sieve -g 20000 b:uint:20000 b:uint:40000
// sum: 0 00d8d83fa70ad343
// sum: 1 5f729ea72436e20b
