// Private memory with dead stores: overwritten before it is read, or never read.
// run: -k overwritten -g 300 b:int:300:rand,342,-1000,1000 b:int:300
// sum: 0 8bd0f4f5a9bed632
// sum: 1 f3b7dd32322937e2
__kernel void overwritten(__global const int *in, __global int *out) {
  int i = get_global_id(0), x = in[i];
  int kept[8], trace[8];
  for (int k = 0; k < 8; k++)
    kept[k] = x - k;
  for (int k = 0; k < (i & 7); k++) {
    int at = (x + k) & 7;
    kept[at] = k;
    trace[at] = kept[(at + 3) & 7];
    kept[at] = x ^ k;
  }
  int sum = 0;
  for (int k = 0; k < 8; k++)
    sum = sum * 5 + kept[(k + i) & 7];
  out[i] = sum;
}
