// Nested loops with every combination of uniform and varying trip counts.
// run: -k nested_loops -g 1000 b:int:1000:rand,9,0,6 b:uint:1000 int:4
// sum: 0 73c274286fcf3b13
// sum: 1 53a8049fdfa1a4f1
// run: -k nested_loops -g 1023 b:int:1023:const,3 b:uint:1023 int:4
// sum: 0 2a0bb419ab6df756
// sum: 1 c7656c71afd86cc8
__kernel void nested_loops(__global const int *in, __global uint *out, int n) {
  int id = get_global_id(0);
  int m = in[id];
  uint r = 0;
  for (int a = 0; a < n; a++) {
    for (int b = 0; b < m; b++)
      r = r * 7 + a + b;
    r ^= 0x1234;
  }
  for (int a = 0; a < m; a++) {
    for (int b = 0; b < n; b++)
      r += a * b;
    for (int b = a; b < m; b++) {
      for (int c = b; c < n + m; c++)
        r = (r << 1) ^ (r >> 3) ^ c;
    }
  }
  out[id] = r;
}
