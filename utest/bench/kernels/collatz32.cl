// Steps of the Collatz iteration until 1 in 32 bits: a short divergent loop with a divergent arm.
// run: -k collatz32 -g 262144 b:uint:262144
// sum: 0 4e6c1c3e38ddd705
__kernel void collatz32(__global uint *steps) {
  uint i = get_global_id(0);
  uint n = (i & 0xffff) + 1, count = 0;
  while (n != 1) {
    if (n & 1)
      n = 3 * n + 1;
    else
      n >>= 1;
    count++;
  }
  steps[i] = count;
}
