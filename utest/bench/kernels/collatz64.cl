// Steps of the Collatz iteration until 1 in 64 bits, where a vector register holds only 8 lanes.
// run: -k collatz64 -g 262144 b:uint:262144
// sum: 0 6373350acbcc010d
__kernel void collatz64(__global uint *steps) {
  size_t i = get_global_id(0);
  ulong n = i + 1;
  uint count = 0;
  while (n > 1) {
    if (n & 1)
      n = 3 * n + 1;
    else
      n /= 2;
    count++;
  }
  steps[i] = count;
}
