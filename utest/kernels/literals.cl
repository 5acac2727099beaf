// Literals of every form: bases, suffixes, characters, escapes, floats in decimal and hex.
// run: -k literals -g 4 b:long:40 b:double:24
// sum: 0 2a5f2458a94582b9
// sum: 1 110eb09a16d2edfd
__kernel void literals(__global long *o, __global double *d) {
  int i = get_global_id(0);
  o += 10 * i;
  d += 6 * i;
  o[0] = 0x7fFFffff + 1u + i;
  o[1] = 0777 - 0xffu;
  o[2] = 0xffffffff;
  o[3] = 4294967296 + 'a' + '\n' + '\x41' + '\101' + '\\' + '\'';
  o[4] = 0x8000000000000000ul >> 60;
  o[5] = -2147483648 - 1L;
  o[6] = sizeof("abc\0") + sizeof('a') + sizeof(1L) + sizeof(1.0f);
  o[7] = (char)200 + (uchar)300 + (short)70000;
  o[8] = "hello, " "world"[7 + i % 2];
  o[9] = ~0u + 0 - 07;
  d[0] = 1.5f + 0.1f;
  d[1] = 1e10f * 2.f;
  d[2] = .5e-3 + 1.;
  d[3] = 0x1.8p3 + 0x1p-2f;
  d[4] = 1 / 2 + 1 / 2.0f + 3 % 2;
  d[5] = 3.4028234e38f;
}
