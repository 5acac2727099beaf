// Shifts and rotations of all sizes by an amount that all work-items share, and by one that differs.
// run: -k uniform_shifts -g 300 b:ulong:300:rand,41 b:ulong:300*12 int:3
// sum: 0 3e354d077334e0ca
// sum: 1 badc621160b097ff
// run: -k uniform_shifts -g 70 b:ulong:70:rand,42 b:ulong:70*12 int:77
// sum: 0 6700cbe9f251a901
// sum: 1 6f0279b95fcce070
__kernel void uniform_shifts(__global const ulong *in, __global ulong *out, int n) {
  size_t i = get_global_id(0);
  ulong x = in[i];
  uchar a = x;
  ushort b = x >> 8;
  uint c = x >> 24;
  char as = a;
  short bs = b;
  int cs = c;
  long xs = x;
  __global ulong *o = out + 12 * i;
  o[0] = (uchar)(a << (n & 7)) + 256 * (a >> (n & 7)) + 65536 * (ulong)(uchar)(as >> (n & 7));
  o[1] = (ushort)(b << (n & 15)) + 65536 * (ulong)(ushort)(b >> (n & 15));
  o[2] = (ushort)(bs >> (n & 15)) + 65536 * (ulong)rotate(b, (ushort)n);
  o[3] = rotate(a, (uchar)n) + 256 * rotate(a, (uchar)x);
  o[4] = c << n;
  o[5] = c >> n;
  o[6] = (uint)(cs >> n) + ((ulong)rotate(c, (uint)n) << 32);
  o[7] = x << n;
  o[8] = x >> n;
  o[9] = xs >> n;
  o[10] = rotate(x, (ulong)n) ^ (c << (x >> 60));
  o[11] = (c << b) + (ulong)(ushort)(b >> (x >> 60)) + (x >> c);
}
