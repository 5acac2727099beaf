// Steps of the Collatz iteration: a loop that every lane leaves at its own time.
__kernel void steps(__global uint *out) {
  uint n = out[get_global_id(0)], k = 0;
  while (n > 1) {
    n = n & 1 ? 3 * n + 1 : n / 2;
    k++;
  }
  out[get_global_id(0)] = k;
}
