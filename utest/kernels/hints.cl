// Correct and wrong hints about conditions: unlikely arms, loops, exits, and branches that all lanes take the same way.
// run: -k hints -g 200 b:uint:200:rand,11:r b:uint:200 uint:7
// sum: 1 3c537890ceb6f9b7
#define likely(x) __builtin_expect(!!(x), 1)
#define unlikely(x) __builtin_expect((x) != 0, 0)
__kernel void hints(__global const uint *in, __global uint *out, uint n) {
  uint i = get_global_id(0), x = in[i], h = i;
  if (unlikely((x & 63) == 5)) {
    for (uint k = 0; k < (x >> 8) % 40; k++)
      h = h * 31 + k;
    h ^= x;
  } else if (unlikely(x % 3 == 1)) {
    h += x / 3;
  }
  if (unlikely(x & 1))
    while (likely(x > 99))
      x = x / 3 + (h & 3);
  uint steps = 0;
  for (uint k = x; likely(k != 1) && likely(steps < 60); steps++) {
    if (unlikely((k & 255) == 17))
      break;
    k = k & 1 ? k * 3 + 1 : k / 2;
    if (unlikely(n > 5 && k % 11 == 3))
      continue;
    h += k;
  }
  if (unlikely(n == 7)) // all lanes
    h ^= 0x5555;
  if (__builtin_expect_with_probability(steps == 60, 0, 0.999))
    h = ~h;
  else if (unlikely(i >= 190))
    return;
  out[i] = h + (unlikely(x > 1000) ? x / 7 : steps);
}
