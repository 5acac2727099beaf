// Steps to 1; by hand two vectors at once.
// run: -k collatz -g 65536 b:uint:65536
__kernel void collatz(__global uint *out) {
  uint n = get_global_id(0) + 1, k = 0;
  while (n != 1) {
    n = n & 1 ? 3 * n + 1 : n >> 1;
    k++;
  }
  out[get_global_id(0)] = k;
}
