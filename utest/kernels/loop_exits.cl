// Loops whose exit is uniform, varying, and temporal (a value that differs by lane lives out).
// run: -k loop_exits -g 1000 b:int:1000:rand,5,0,40 b:int:3000 int:13
// sum: 0 332fc43cef83e2e7
// sum: 1 c2c345ff4f9d8419
// run: -k loop_exits -g 17 b:int:17:rand,5,0,40 b:int:51 int:0
// sum: 0 29059967c33186dd
// sum: 1 e9c7628e68f3c969
__kernel void loop_exits(__global const int *in, __global int *out, int n) {
  int i = get_global_id(0);
  int a = 0;
  for (int k = 0; k < n; k++)
    a += k ^ i;
  out[3 * i] = a;
  int b = 0;
  for (int k = 0; k < in[i]; k++)
    b += k * n;
  out[3 * i + 1] = b;
  int j = 0, x = 0;
  while (1) {
    x = j * 2;
    if (j * j > in[i])
      break;
    j++;
  }
  out[3 * i + 2] = x * 100 + j;
}
