// Iterations append to lists, read from one in turn, share a private table and find runs.
// run: -k lists -g 3 b:int:900:rand,31,0,9 b:int:1500 b:uchar:1500 b:int:1500:rand,7 b:int:1500 int:300 int:20
// sum: 1 fe59e1233d4ddec5
// sum: 2 901e02391f162fd7
// sum: 4 cb0acf1cae1bff80
// run: -k lists -g 2 b:int:900:rand,32,0,3 b:int:1500 b:uchar:1500 b:int:1500:rand,8 b:int:1500 int:299 int:3
// sum: 1 8dff6e269d247c88
// sum: 2 0d7ca37c2cd65518
// sum: 4 25790f57384965e8
__kernel void lists(__global const int *in, __global int *list, __global uchar *bytes, __global const int *values,
                    __global int *out, int n, int shift) {
  int id = get_global_id(0);
  __global const int *a = in + id * 300;
  __global int *o = out + id * 500;
  int table[300];
#pragma simt loop vectorize(enable)
  for (int i = 0; i < n; i++)
    table[i] = a[i] * 7 ^ i;
  int k = 0, next = 0, last = -1, run = 0;
#pragma simt loop vectorize(enable)
  for (int i = 0; i < n; i++) {
    int x = a[i], y = 0;
    if (x > 1) {
      list[id * 500 + k] = table[i];
      bytes[id * 500 + k] = x;
      k++;
    }
    if (x != 2) {
      y = values[id * 500 + next];
      next++;
    }
    run = x == last ? run + 1 : 0;
    last = x;
    o[i] = y + run;
  }
#pragma simt loop vectorize(enable)
  for (int i = 0; i < n; i++)
    o[i + shift] = o[i] * 3 + 1;
  o[499] = k * 1000 + next;
}
