// xxHash32 of strings whose length differs by lane, with byte loads.
// run: -k xxhash32 -g 300 b:uchar:4000:rand,207 b:uint:300
// sum: 0 04c48160da93c2aa
// sum: 1 290ad13f8e74e4d0
// run: -k xxhash32 -g 17 b:uchar:4000:const,7 b:uint:17
// sum: 0 2c9dea2db88a3c45
// sum: 1 4c7ab8ffbd25a4dd
#define P1 2654435761u
#define P2 2246822519u
#define P3 3266489917u
#define P4 668265263u
#define P5 374761393u
uint rotl(uint x, uint n) { return (x << n) | (x >> (32 - n)); }
uint word(__global const uchar *p) { return p[0] | (uint)p[1] << 8 | (uint)p[2] << 16 | (uint)p[3] << 24; }
uint mix_in(uint acc, uint w) { return rotl(acc + w * P2, 13) * P1; }
__kernel void xxhash32(__global const uchar *data, __global uint *out) {
  uint i = get_global_id(0);
  uint n = i % 71, seed = i;
  __global const uchar *p = data + i * 11;
  __global const uchar *end = p + n;
  uint h;
  if (n >= 16) {
    uint a = seed + P1 + P2, b = seed + P2, c = seed, d = seed - P1;
    do {
      a = mix_in(a, word(p));
      b = mix_in(b, word(p + 4));
      c = mix_in(c, word(p + 8));
      d = mix_in(d, word(p + 12));
      p += 16;
    } while (p + 16 <= end);
    h = rotl(a, 1) + rotl(b, 7) + rotl(c, 12) + rotl(d, 18);
  } else
    h = seed + P5;
  h += n;
  for (; p + 4 <= end; p += 4)
    h = rotl(h + word(p) * P3, 17) * P4;
  while (p < end)
    h = rotl(h + *p++ * P5, 11) * P1;
  h ^= h >> 15;
  h *= P2;
  h ^= h >> 13;
  h *= P3;
  h ^= h >> 16;
  out[i] = h;
}
