// Reductions of rows: sums, products, bits, minimum and maximum, of short and long rows, in ascending and descending order.
// run: -k sums -g 70 b:uchar:70:rand,5,0,90:r b:char:8192:rand,1:r b:short:8192:rand,2:r b:int:70*4
// sum: 0 6654250023943146
// sum: 1 bfae1e3ba5b99905
// sum: 2 65f935714c48c5a6
// sum: 3 fe62bca1f3a523c2
// run: -k extremes -g 70 b:uchar:70:rand,6,0,90:r b:int:8192:rand,3:r b:uint:8192:rand,4:r b:int:70*4
// sum: 0 fa3a8f8a762b341d
// sum: 1 852f3e5c2395abc0
// sum: 2 e1497382885505eb
// sum: 3 8bb035e17e0a2892
// run: -k wide -g 40 b:uchar:40:rand,7,0,60:r b:long:8192:rand,8:r b:ulong:40*4
// sum: 0 cdbf8329c51aaca1
// sum: 1 30148d046def30e8
// sum: 2 e0cf076e285c4cbb
// run: -k counts -g 40 b:uchar:40:rand,9,0,70:r b:float:8192:rand,10,-1,1:r b:int:40*3
// sum: 0 2dbbf01c1f60b265
// sum: 1 99fa3e85abed97b1
// sum: 2 5617208434a3dfbd
// run: -k limits -g 30 b:uchar:30:rand,11,0,70:r b:int:8192:rand,12,-9999,9999:r b:int:30*4
// sum: 0 3605fc3e3878ad6a
// sum: 1 620a1d928c23317c
// sum: 2 66d4c32f8d71f401
__kernel void sums(__global const uchar *lengths, __global const char *a, __global const short *b, __global int *out) {
  int i = get_global_id(0), n = lengths[i];
  int dot = i, odd = 0, less = 1000;
  char small = 1;
  for (int k = 0; k < n; k++)
    dot += a[i * 90 + k] * b[k];
  for (int k = 0; k < n; k++) {
    odd ^= b[i * 64 + n - k] << 3;
    less -= a[k] & b[k];
  }
  for (int k = 0; k < n; k++)
    small *= a[i + k] | 1;
  out[4 * i] = dot;
  out[4 * i + 1] = odd;
  out[4 * i + 2] = less;
  out[4 * i + 3] = small;
}

__kernel void extremes(__global const uchar *lengths, __global const int *a, __global const uint *b, __global int *out) {
  int i = get_global_id(0), n = lengths[i], lo = 7, hi = -7, all = -1;
  uint most = 5, any = 0;
  for (int k = 0; k < n; k++) {
    lo = min(lo, a[i * 100 + k]);
    hi = max(hi, a[i * 100 + k] ^ k);
  }
  for (int k = 0; k < n; k++) {
    most = max(most, b[i * 16 + k] >> (k & 7));
    any |= b[8000 - k] & 0x10101;
    all &= a[k] | 255;
  }
  out[4 * i] = lo;
  out[4 * i + 1] = hi;
  out[4 * i + 2] = most ^ all;
  out[4 * i + 3] = any;
}

__kernel void wide(__global const uchar *lengths, __global const long *a, __global ulong *out) {
  size_t i = get_global_id(0), n = lengths[i];
  ulong sum = i, product = 3, least = -1;
  for (size_t k = 0; k < n; k++)
    sum += a[i * 60 + k] * k;
  for (size_t k = 2; k <= n; k += 2) {
    product *= a[i + k / 2] | 1;
    least = min(least, (ulong)a[i * 3 + k / 2]);
  }
  long last = 0;
  for (size_t k = 0; k < n; k += 2)
    last = max(last, a[i * 7 + k]);
  out[4 * i] = sum;
  out[4 * i + 1] = product;
  out[4 * i + 2] = least;
  out[4 * i + 3] = last;
}

__kernel void counts(__global const uchar *lengths, __global const float *a, __global int *out) {
  int i = get_global_id(0), n = lengths[i], above = 0, last = -1, near = 0;
  float t = a[i];
  for (int k = 0; k < n; k++)
    above += a[i * 70 + k] > t;
  for (int k = 0; k < n; k++)
    last = max(last, a[i * 30 + k] < -t ? k : -1);
  for (int k = 0; k < n; k++)
    near += (int)(a[n - k] * 16.0f);
  out[3 * i] = above;
  out[3 * i + 1] = last;
  out[3 * i + 2] = near;
}

__kernel void limits(__global const uchar *lengths, __global const int *a, __global int *out) {
  int i = get_global_id(0), n = lengths[i], x = 0, y = 0, z = 0, left = 0;
  for (uint k = 4294967200u; k < 4294967200u + n; k++)
    x += a[k - 4294967200u + i];
  for (int k = -n; k < 0; k++)
    y ^= a[k + 100 + i];
  int k = 3;
  for (; k <= n; k++)
    z += a[k * 2] + a[k];
  for (left = 1; left < n; left += 4)
    z -= a[i + left] > 0;
  out[4 * i] = x;
  out[4 * i + 1] = y;
  out[4 * i + 2] = z;
  out[4 * i + 3] = k * 1000 + left;
}
