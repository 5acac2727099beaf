// Sums and differences of bytes and shorts that are only compared with small numbers, or clamped: the
// excess beyond the limits of the narrow type does not matter.
// run: -k neighbours -g 37,29 b:uchar:39*31:rand,711,0,3 b:uchar:37*29 int:39
// sum: 1 c94fc62ce79852c2
// run: -k neighbours -g 37,29 b:uchar:39*31:rand,712 b:uchar:37*29 int:39
// sum: 1 6de97e49adab3f45
// run: -k brighten -g 301 b:uchar:301:rand,713 b:uchar:301:rand,714 b:uchar:1204
// sum: 2 e31abbe1e2e4ff3c
// run: -k levels -g 301 b:ushort:301:rand,715 b:ushort:301:rand,716 b:ushort:903
// sum: 2 5a41cc345516168b
__kernel void neighbours(__global const uchar *in, __global uchar *out, int w) {
  int x = get_global_id(0), y = get_global_id(1);
  __global const uchar *p = in + (y + 1) * w + x + 1;
  int n = p[-w - 1] + p[-w] + p[-w + 1] + p[-1] + p[1] + p[w - 1] + p[w] + p[w + 1];
  int big = (p[-1] > 1) + (p[1] > 1) + (p[-w] > 1) + (p[w] > 1);
  uchar r = *p;
  if (n < 4 || n == 254)
    r = 1;
  else if (n > 200 && n != 250)
    r = 2;
  else if (big >= 3)
    r = 3;
  out[y * (w - 2) + x] = r;
}
__kernel void brighten(__global const uchar *a, __global const uchar *b, __global uchar *o) {
  int i = get_global_id(0), x = a[i], y = b[i];
  o[4 * i] = min(x + y, 255);
  o[4 * i + 1] = max(x - y, 0);
  o[4 * i + 2] = clamp(x - y, 3, 200);
  int d = x - y;
  o[4 * i + 3] = d > 10 ? 'm' : d == 7 ? 's' : d <= 0 ? 'l' : '-';
}
__kernel void levels(__global const ushort *a, __global const ushort *b, __global ushort *o) {
  int i = get_global_id(0), x = a[i], y = b[i];
  int s = x + y, m = i % 3 ? s : x;
  o[3 * i] = s >= 40000 ? 1 : s == 65534 ? 2 : 0;
  o[3 * i + 1] = min(m, 65000);
  o[3 * i + 2] = max(y - x, 100);
}
// bench: -k neighbours -g 1022,1022 b:uchar:1024*1024:rand,717,0,1 b:uchar:1022*1022 int:1024
// sum: 1 1f07b50701cf40c1
