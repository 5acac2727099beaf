// Selections by signs and by single bits, in both senses, of integers of each size, and products with
// sums and differences of two powers of two.
// run: -k sign_selects -g 500 b:ulong:500:rand,51 b:ulong:500:rand,52 b:ulong:500*8
// sum: 0 48fb1234349a1747
// sum: 1 6c8b128d198bd816
// sum: 2 e597b65cb61564f8
// run: -k sign_selects -g 77 b:ulong:77:rand,53 b:ulong:77:rand,54 b:ulong:77*8
// sum: 0 18a7d05b796d8a2a
// sum: 1 5a5112c29e943db9
// sum: 2 3cdf4afb46839b3d
#define SELECTS(T, U) ({ \
    T x = (T)a[i], y = (T)b[i]; \
    U r = (U)(x < 0 ? x : y); \
    r = r * 5 + (U)(x >= 0 ? y : x + y); \
    r = r * 5 + (U)(y > -1 ? x : x ^ y); \
    r = r * 5 + (U)(y <= -1 ? y : x - y); \
    r = r * 5 + (U)((x & 1) != 0 ? x : y); \
    r = r * 5 + (U)((x & 4) == 0 ? y : x); \
    r = r * 5 + (U)((y & 16) == 16 ? x : y + 1); \
    r = r * 5 + (U)((y & (T)((U)1 << (sizeof(T) * 8 - 1))) ? x : y ^ 3); \
    r; })
__kernel void sign_selects(__global const ulong *a, __global const ulong *b, __global ulong *out) {
  size_t i = get_global_id(0);
  __global ulong *o = out + 8 * i;
  o[0] = SELECTS(char, uchar);
  o[1] = SELECTS(short, ushort);
  o[2] = SELECTS(int, uint);
  o[3] = SELECTS(long, ulong);
  float f = (float)(int)a[i], g = (float)(int)b[i];
  o[4] = as_uint((int)a[i] < 0 ? f : g) ^ (ulong)as_uint(((uint)b[i] & 256) != 0 ? f : -g) << 32;
  o[5] = a[i] * 3 ^ a[i] * 24 ^ b[i] * 10;
  o[4] ^= (uint)((int)a[i] * 3) ^ (ulong)((uint)b[i] * 0x80000001u) << 9 ^ (ulong)((int)a[i] * -7) << 20 ^ (ulong)((int)b[i] * 31) << 30;
  o[6] = a[i] * 7 ^ b[i] * 0xFFFFFFFF0000ul ^ a[i] * (ulong)-7;
  o[7] = a[i] * (ulong)-3 ^ b[i] * 0x8000000000000001ul ^ a[i] * 11;
}
