// Steps of the 3n+1 iteration, 32 bits.
// run: -k collatz -g 1000 b:uint:1000
// sum: 0 e1daae28a5c78685
// run: -k collatz -g 17 --offset 871 b:uint:888
// sum: 0 cd0860d7ba6b7ce7
__kernel void collatz(__global uint *steps) {
  uint i = get_global_id(0);
  uint n = i + 1, k = 0;
  while (n != 1) {
    n = (n & 1) ? 3 * n + 1 : n >> 1;
    k++;
  }
  steps[i] = k;
}
