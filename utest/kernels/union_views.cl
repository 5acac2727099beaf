// A union seen as words, bytes, shorts and float.
// run: -k union_views -g 1000 b:uint:1000:rand,69 b:uint:2000
// sum: 0 e73f12430732981f
// sum: 1 28c31596b25c492d
typedef union {
  uint word;
  ushort halves[2];
  uchar byte[4];
  struct {
    uchar low, next;
    short top;
  } parts;
} view;
union number {
  float f;
  int i;
};
__kernel void union_views(__global const uint *in, __global uint *out) {
  int i = get_global_id(0);
  view v;
  v.word = in[i];
  v.halves[0] += v.halves[1];
  v.byte[i & 3] ^= 0xff;
  v.parts.top = (short)(v.parts.top / 3);
  out[2 * i] = v.word;
  union number n;
  n.f = (float)(in[i] & 0xffff) + 0.25f;
  n.i ^= 0x80000000;
  out[2 * i + 1] = (uint)n.i;
}
