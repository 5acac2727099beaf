// Nested regions that few lanes need, containing operations that cannot be masked.
// run: -k nested_skips -g 1000 b:int:1000:rand,51,0,63 b:int:64:rand,52,1,9 b:int:1000
// sum: 0 e0def67cb71674ec
// sum: 1 7df107275a9380b9
// sum: 2 bcf1f6c2289ed0fc
// run: -k nested_skips -g 1000 b:int:1000:const,3 b:int:64:rand,52,1,9 b:int:1000
// sum: 0 678f31dc23f2e4e5
// sum: 1 7df107275a9380b9
// sum: 2 b626031ca980b5d5
// run: -k nested_skips -g 1000 b:int:1000:const,33 b:int:64:const,0 b:int:1000
// sum: 0 029c63f6b518f265
// sum: 1 d80ac658736bb725
// sum: 2 b626031ca980b5d5
__kernel void nested_skips(__global const int *in, __global const int *table, __global int *out) {
  int i = get_global_id(0);
  int x = in[i], r = i;
  if (x > 31) {
    int n = table[3];
    r += n;
    if (x & 1) {
      for (int k = n; k > 0; k--) {
        r = r * 3 + table[k];
        if (x & 2)
          r ^= table[x] / (table[k + 1] | 1);
      }
    } else if (x == 40) {
      int m = table[n];
      while (m < 100)
        m += table[m & 7] + 1;
      r -= m;
    }
    r += table[x];
  } else if (table[0] > 4) {
    r ^= x;
    if (x == 5)
      r = table[5] * r % 77;
  }
  out[i] = r;
}
