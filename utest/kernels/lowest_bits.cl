// The number of the lowest set bit, computed by several formulas, also for zero.
// run: -k lowest_bits -g 700 b:uint:700:rand,3 b:ulong:700:rand,4 b:uint:700 b:ulong:700
// sum: 0 a5c50e353a2a08d5
// sum: 1 5239a6b09ed30a4c
// sum: 2 51877d33da683541
// sum: 3 bf61b910167b20e9
__kernel void lowest_bits(__global const uint *x, __global const ulong *y, __global uint *out, __global ulong *sums) {
  int i = get_global_id(0);
  uint m = x[i] & x[(i * 7 + 3) % 700] & 0x12345;
  ulong l = y[i] & y[(i * 5 + 1) % 700];
  uint n = 31 - (int)clz(m & -m);
  n = n * 37 + (int)popcount((m & -m) - 1);
  n = n * 37 + (int)popcount(~m & (m - 1));
  ulong sum = 63 - clz(l & -l);
  for (uint rest = m; rest; rest &= rest - 1)
    n = n * 3 + x[31 - clz(rest & -rest)];
  for (; l != 0; l &= l - 1)
    sum = sum * 5 + popcount((l & -l) - 1) + x[63 - clz(l & -l)];
  ushort s = (ushort)m;
  n = n * 37 + popcount((ushort)((s & -s) - 1)) + 15 - clz((ushort)(s & -s));
  out[i] = n;
  sums[i] = sum;
}
