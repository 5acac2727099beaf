// run: -k short_ranges -g 1000 b:int:8192:rand,71,-1000,1000 b:int:1000 int:2147483000 b:uint:1000
// sum: 1 6e6ec5b8e8a956f8
// sum: 3 6650c9cfc9f3934d
// Each work-item iterates over its own short range, upward and
// downward, in steps of one and of more; some ranges wrap and are then empty.
kernel void short_ranges(global const int *x, global int *sums, int far, global uint *rounds)
{
  int i = get_global_id(0), s = 0;
  uint n = 0;
  for (int k = i * 8; k < (i + 1) * 8; k++)
    s = s * 3 + x[k];
  for (int k = i * 8 + 8; k > i * 8; k -= 2)
    s ^= x[k - 1] << (k & 3);
  for (int k = far + i; k < far + i + 6; k += 3)
    n += k & 7;
  for (uint k = (uint)-4000 + i * 8; k < (uint)-4000 + i * 8 + 8; ++k)
    n = n * 5 + k;
  for (short k = i; k != (short)(i + 12); k += 4)
    n ^= k;
  sums[i] = s;
  rounds[i] = n;
}
