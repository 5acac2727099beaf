// Sets of small numbers as bits of words: elements are added, removed and complemented.
// run: -k members -g 200 b:uint:200:rand,3:r b:uint:200 b:ulong:200 b:uint:200
// sum: 0 eb1c5f9f58c1f6ed
// sum: 1 a68ed5216d0284ef
// sum: 2 c6192664bcb5f945
// sum: 3 3d1ba0f9c5c45b76
// run: -k squares -g 64 b:uchar:64*16:rand,9:r b:uint:64
// sum: 0 2a3001beb1c557df
// sum: 1 6616a1d510f312b7
#define IN(n) ((n) & 31)
#define IN64(n) ((n) & 63)

__kernel void members(__global const uint *in, __global uint *out, __global ulong *wide, __global uint *asked) {
  int i = get_global_id(0);
  uint r = in[i], set = r * 77;
  ulong big = ((ulong)r << 29) ^ r;
  uint found = 0;
  for (int k = 0; k < 12; k++) {
    r = r * 1664525 + 1013904223;
    uint n = r >> 20;
    if ((set >> IN(n)) & 1)
      set &= ~(1u << IN(n));
    else if (set & (1u << IN(n + 3)))
      set ^= 1u << IN(n + 1);
    else
      set |= 1u << IN(n);
    if (((long)big >> IN64(n)) & 1)
      big ^= 1UL << IN64(n + 5);
    else if (!(big & (1UL << IN64(n * 3))))
      big |= 1UL << IN64(n);
    else
      big &= ~(1UL << IN64(n + 9));
    if (((set >> IN(n + 2)) & 1) == 0 && ((big >> IN64(n + 7)) & 1) == 1)
      found++;
  }
  out[i] = set;
  wide[i] = big;
  asked[i] = found;
}

__kernel void squares(__global const uchar *grid, __global uint *ok) {
  int i = get_global_id(0);
  uint rows[4] = {0, 0, 0, 0}, columns[4] = {0, 0, 0, 0};
  uint good = 1;
  for (int y = 0; y < 4; y++)
    for (int x = 0; x < 4; x++) {
      uint n = grid[(i * 4 + y) * 4 + x] & 31;
      if ((rows[y] | columns[x]) >> n & 1)
        good = 0;
      rows[y] |= 1u << n;
      columns[x] ^= 1u << n;
    }
  ok[i] = good * 2 + ((columns[1] >> (rows[2] & 31)) & 1);
}
