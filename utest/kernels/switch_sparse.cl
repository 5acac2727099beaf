// Sparse case values: negative, huge, characters, 64 bit.
// run: -k switch_sparse -g 1000 b:int:1000:rand,33,-100,100 b:int:1000 b:long:1000:rand,35,-2,4
// sum: 0 f43d24abb85c1275
// sum: 1 a653d87f938ef7ab
// sum: 2 36e76941f5554e1e
__kernel void switch_sparse(__global const int *in, __global int *out, __global const long *wide) {
  int i = get_global_id(0);
  int r;
  switch (in[i]) {
  case -100: r = 1; break;
  case -57: r = 2; break;
  case 'a': r = 3; break;
  case 'Z': case 'Y': r = 4; break;
  case 0x7fffffff: r = 5; break;
  case -2147483647 - 1: r = 6; break;
  case 0: r = 7; break;
  case 1: case 2: case 3: r = in[i] * 1000; break;
  default: r = in[i]; break;
  }
  switch (wide[i] * 0x100000000L) {
  case 0x100000000L: r += 10000; break;
  case 0x200000000L: r += 20000; break;
  case -0x100000000L: r += 30000; break;
  case 0: r += 40000; break;
  }
  out[i] = r;
}
