// xxHash32 of adjacent strings of 0 to 255 bytes, with byte loads.
// run: -k xxhash32 -g 524288 b:uchar:33554688:rand,207 b:uint:524288
// sum: 0 acc65c65d4221572
// sum: 1 cddacdd3c401e9b0
#define P1 2654435761u
#define P2 2246822519u
#define P3 3266489917u
#define P4 668265263u
#define P5 374761393u
uint word(__global const uchar *p) { return p[0] | (uint)p[1] << 8 | (uint)p[2] << 16 | (uint)p[3] << 24; }
uint mix_in(uint acc, uint w) { return rotate(acc + w * P2, 13u) * P1; }
__kernel void xxhash32(__global const uchar *data, __global uint *out) {
  uint i = get_global_id(0);
  uint n = i * 2654435761u >> 24, seed = i;
  __global const uchar *p = data + i * 64;
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
    h = rotate(a, 1u) + rotate(b, 7u) + rotate(c, 12u) + rotate(d, 18u);
  } else
    h = seed + P5;
  h += n;
  for (; p + 4 <= end; p += 4)
    h = rotate(h + word(p) * P3, 17u) * P4;
  while (p < end)
    h = rotate(h + *p++ * P5, 11u) * P1;
  h ^= h >> 15;
  h *= P2;
  h ^= h >> 13;
  h *= P3;
  h ^= h >> 16;
  out[i] = h;
}
