// Loops of up to eight iterations along each work-item's own row: bytes and words, forward
// and backward, with early exits, in place where rows overlap, and in local memory.
// run: -k bytes -g 300 b:uchar:2400:rand,411 b:uchar:2400 b:short:2400
// sum: 0 081fb60e6baf95a0
// sum: 1 bb72e399140aa784
// sum: 2 85936fc94c4b2a8f
// run: -k bytes -g 17 b:uchar:136:rand,411 b:uchar:136 b:short:136
// sum: 0 88a67a4f6d4c5709
// sum: 1 685e0d0282970eb9
// sum: 2 9690be2aac5a66ec
// run: -k digits -g 300 b:uint:300:rand,412 b:uchar:2400 b:int:300
// sum: 0 92ac07670ccd992d
// sum: 1 9664462fa7b698f6
// sum: 2 a6715f561884dd34
// run: -k until -g 300 b:uchar:2400:rand,413,0,5 b:uint:2400 b:uint:300
// sum: 0 e6751884402d6dcc
// sum: 1 2fb692df04cf8027
// sum: 2 bf34929b8e7fd296
// run: -k shifted -g 300 b:float:2408:rand,414,-1,1 b:float:300 b:uint:2400
// sum: 0 a24c69b82edb2a73
// sum: 1 aa16a2f9c837b2e6
// sum: 2 215b137b3c088716
// run: -k tiles -g 96 -l 12 b:ushort:768:rand,415 b:ushort:768
// sum: 0 91ba35239b8aa320
// sum: 1 ee875f40463a8055
// run: -k unhex -g 100 b:uchar:1600:rand,416 b:uchar:800
// sum: 1 8537d952849e83b7
// run: -k unhex -g 130 b:uchar:2080:rand,417,44,105 b:uchar:1040
// sum: 1 8cf0ddab04cf7a1b
__kernel void bytes(__global const uchar *in, __global uchar *out, __global short *wide) {
  int i = get_global_id(0);
  for (int k = 0; k < 8; k++) {
    out[i * 8 + k] = in[i * 8 + k] ^ (uchar)(5 + i);
    wide[i * 8 + 7 - k] = in[i * 8 + k] * 3 - i;
  }
}
__kernel void digits(__global const uint *in, __global uchar *out, __global int *letters) {
  int i = get_global_id(0), n = 0;
  uint x = in[i];
  for (int k = 7; k >= 0; k--) {
    uint d = x & 15;
    if (d >= 10) {
      n++;
      out[8 * i + k] = 'a' + d - 10;
    } else
      out[8 * i + k] = '0' + d;
    x >>= 4;
  }
  letters[i] = n;
}
__kernel void until(__global const uchar *in, __global uint *out, __global uint *where) {
  int i = get_global_id(0), k;
  uint h = 7;
  for (k = 0; k < 8; k++) {
    uchar c = in[i * 8 + k];
    if (c == 0)
      break;
    if (c == 1)
      continue;
    h = h * 31 + c;
    out[i * 8 + k] = h;
  }
  where[i] = k;
}
__kernel void shifted(__global const float *in, __global float *sums, __global uint *mixed) {
  int i = get_global_id(0);
  float s = 0;
  for (int k = 1; k <= 8; k++)
    s += in[i * 8 + k] - in[i + k];
  sums[i] = s;
  __global uint *row = mixed + i * 8;
  for (int k = 0; k < 7; k++) {
    row[k + 1] = row[k] * 5 + i + k;
  }
}
__kernel void tiles(__global const ushort *in, __global ushort *out) {
  __local ushort t[12 * 8];
  int l = get_local_id(0), i = get_global_id(0);
  for (int k = 0; k < 8; k++)
    t[l * 8 + k] = in[i * 8 + k];
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int k = 0; k < 8; k++)
    out[i * 8 + k] = t[(11 - l) * 8 + k] + t[(l * 5 % 12) * 8 + (k ^ 3)];
}
uchar nibble(uchar c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return 255;
}
__kernel void unhex(__global const uchar *in, __global uchar *out) {
  int g = get_global_id(0);
  for (int i = 0; i < 8; i++) {
    uchar high = nibble(in[g * 16 + 2 * i]), low = nibble(in[g * 16 + 2 * i + 1]);
    out[g * 8 + i] = high << 4 | low;
  }
}
