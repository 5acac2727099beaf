// SHA-256 of short messages, one message a work-item.
//
// The message schedule is a private array whose subscripts are all constant
// once the loops are unrolled, and everything else is adds, rotates and
// logic on 32 bits: the work SIMD is best at. A message is 32 bytes, so it
// and its padding are one block. Try
//
//	simtc run examples/sha256.cl -k sha256 -g 1000000 b:uint8:1000000:rand,1 b:uint8:1000000
//
// run: -k sha256 -g 200 b:uint8:200:rand,1 b:uint8:200
// sum: 0 1d3b45558045e595
// sum: 1 c95bce4cb3986346
// run: -k sha256 -g 7 b:uint8:7:const,0 b:uint8:7
// sum: 0 cc6a1ff5f8a224a5
// sum: 1 33298ae32552ee40

__constant uint round_constants[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

__constant uint initial_state[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                    0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};

uint rotate_right(uint x, uint n) { return rotate(x, 32 - n); }
uint big_sigma0(uint x) { return rotate_right(x, 2) ^ rotate_right(x, 13) ^ rotate_right(x, 22); }
uint big_sigma1(uint x) { return rotate_right(x, 6) ^ rotate_right(x, 11) ^ rotate_right(x, 25); }
uint sigma0(uint x) { return rotate_right(x, 7) ^ rotate_right(x, 18) ^ x >> 3; }
uint sigma1(uint x) { return rotate_right(x, 17) ^ rotate_right(x, 19) ^ x >> 10; }

// compress folds one block of 16 words into the state.
void compress(uint *state, const uint *block) {
  uint w[16], s[8];
  for (int k = 0; k < 16; k++)
    w[k] = block[k];
  for (int k = 0; k < 8; k++)
    s[k] = state[k];
  for (int t = 0; t < 64; t++) {
    if (t >= 16)
      w[t & 15] += sigma0(w[(t + 1) & 15]) + w[(t + 9) & 15] + sigma1(w[(t + 14) & 15]);
    uint t1 = s[7] + big_sigma1(s[4]) + bitselect(s[6], s[5], s[4]) + round_constants[t] + w[t & 15];
    uint t2 = big_sigma0(s[0]) + ((s[0] & s[1]) ^ (s[0] & s[2]) ^ (s[1] & s[2]));
    for (int k = 7; k > 0; k--)
      s[k] = s[k - 1];
    s[4] += t1;
    s[0] = t1 + t2;
  }
  for (int k = 0; k < 8; k++)
    state[k] += s[k];
}

__kernel void sha256(__global const uint8 *messages, __global uint8 *digests) {
  size_t i = get_global_id(0);
  uint block[16] = {0}, state[8];
  vstore8(messages[i], 0, block);
  block[8] = 0x80000000;
  block[15] = 256;
  for (int k = 0; k < 8; k++)
    state[k] = initial_state[k];
  compress(state, block);
  digests[i] = vload8(0, state);
}
