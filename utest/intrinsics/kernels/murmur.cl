// A hash of eight words for each work-item; by hand the words are gathered.
// run: -k murmur -g 131072 b:uint:1048576:rand,7 b:uint:131072
__kernel void murmur(__global const uint *in, __global uint *out) {
  size_t i = get_global_id(0);
  uint h = 42;
  for (int j = 0; j < 8; j++) {
    uint k = rotate(in[i * 8 + j] * 0xcc9e2d51u, 15u) * 0x1b873593u;
    h = rotate(h ^ k, 13u) * 5 + 0xe6546b64u;
  }
  h ^= 32;
  h = (h ^ h >> 16) * 0x85ebca6bu;
  h = (h ^ h >> 13) * 0xc2b2ae35u;
  out[i] = h ^ h >> 16;
}
