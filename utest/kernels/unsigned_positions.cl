// run: -k gaps -g 37 b:int:400:rand,71 b:int:37 uint:2147483653 uint:2147483632 uint:3
// sum: 0 306f2733ccc732f4
// sum: 1 abc5a9c95fd0e930
// run: -k rows -g 37 b:int:400:rand,71 b:int:37 uint:1073741830 uint:21 uint:6
// sum: 0 306f2733ccc732f4
// sum: 1 91311f3ede6a19d8

// Positions in a ring are unsigned and increase without bound. Their difference is small;
// the difference of their values as ints is not.
__kernel void gaps(__global const int *ring, __global int *out, uint head, uint tail, uint n) {
  uint sum = 0;
  for (int k = 0; k < (int)n * 3; k++) {
    int at = (head - tail) + k;
    sum += ring[at + get_global_id(0)] * (k + 1u);
    sum ^= ring[(int)(k - (tail - head))];
    sum += ring[(int)(head + (k - tail))];
  }
  out[get_global_id(0)] = sum;
}

// The same for rows that start far on, where the multiple by n has wrapped.
__kernel void rows(__global const int *ring, __global int *out, uint first, uint back, uint n) {
  uint sum = 0, to = back - first * n;
  for (int k = (int)first; k < (int)first + 9; k++)
    sum = sum * 5 + ring[(int)(k * n + to)];
  out[get_global_id(0)] = sum + (uint)get_global_id(0);
}
