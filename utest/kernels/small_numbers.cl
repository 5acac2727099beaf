// Bytes and shorts that C promotes to int: sums, products, shifts, comparisons, minimum and
// maximum, of numbers that fit in 8 or 16 bits and of some that do not, of which the low
// bits or all bits are used.
// run: -k pixels -g 256 b:uchar:256:rand,501 b:char:256:rand,502 b:uchar:2048 b:short:1024
// sum: 2 6fded784f0e6abb8
// sum: 3 637ddbe7364cdc72
// run: -k edges -g 61,19 b:uchar:1344:rand,503 b:uchar:1159 int:63
// sum: 1 6fea98e712115dec
// run: -k letters -g 150 b:uchar:1800:rand,504 b:uint:150 b:ushort:1800
// sum: 1 40ead0f94cf04af3
// sum: 2 0e1b8d7e6cf63c20
// run: -k shorts -g 301 b:short:301:rand,505 b:ushort:301:rand,506 b:int:1204 b:uchar:903
// sum: 2 77e53a1d7f1c0e60
// sum: 3 a681ddacf0cd953b
__kernel void pixels(__global const uchar *a, __global const char *b, __global uchar *out, __global short *wide) {
  int i = get_global_id(0);
  int x = a[i], y = b[i], z = a[(i + 7) & 255];
  out[8 * i] = x * 77 + z * 150 + (x ^ z) * 29 >> 8;
  out[8 * i + 1] = x > 200 ? 255 : x < 30 ? 0 : x - 30 + (x - 30 >> 1);
  out[8 * i + 2] = (x + z + 1) >> 1;
  out[8 * i + 3] = abs(x - z) < 40 ? x : z;
  out[8 * i + 4] = min(x + y, 255) & max(z - y, -3);
  out[8 * i + 5] = (uint)(x + y) >> 3;
  out[8 * i + 6] = x << 3 | z >> 5;
  out[8 * i + 7] = y < x - 128 ? y + 128 : -y;
  wide[4 * i] = x * y;
  wide[4 * i + 1] = (x - z) * (x + z) >> 2;
  wide[4 * i + 2] = abs(y) * 3 - abs(x - 256);
  wide[4 * i + 3] = y >> 1 == z >> 2 || y == x - 256;
}
__kernel void edges(__global const uchar *p, __global uchar *out, int w) {
  int x = get_global_id(0), y = get_global_id(1), at = (y + 1) * w + x + 1;
  int gx = p[at - w + 1] - p[at - w - 1] + 2 * (p[at + 1] - p[at - 1]) + p[at + w + 1] - p[at + w - 1];
  int gy = p[at + w - 1] - p[at - w - 1] + 2 * (p[at + w] - p[at - w]) + p[at + w + 1] - p[at - w + 1];
  int g = abs(gx) + abs(gy);
  out[y * get_global_size(0) + x] = g > 255 ? 255 : g;
}
__kernel void letters(__global const uchar *s, __global uint *kinds, __global ushort *folded) {
  int i = get_global_id(0);
  uint n = 0, h = 5381;
  for (int k = 0; k < 12; k++) {
    uchar c = s[i * 12 + k];
    if (c >= 'A' && c <= 'Z') c += 32;
    else if (c >= '0' && c <= '9') n += c - '0';
    else if (c > 250) break;
    h = h * 33 ^ c;
    folded[i * 12 + k] = c << 8 | (uchar)~c;
  }
  kinds[i] = h + (n << 20);
}
__kernel void shorts(__global const short *a, __global const ushort *b, __global int *out, __global uchar *bytes) {
  int i = get_global_id(0);
  int x = a[i], y = b[i];
  out[4 * i] = x + y;
  out[4 * i + 1] = x < y ? x : y;
  out[4 * i + 2] = (x >> 4) * (y >> 9) + (x > 0 && y > 32768);
  out[4 * i + 3] = min(x, -x) - max(y & 127, 64);
  bytes[3 * i] = x * y;
  bytes[3 * i + 1] = (uint)x >> 12;
  bytes[3 * i + 2] = (x & 255) > (y & 255) ? x : y >> 8;
}
