// Arguments of every scalar type by value, and vectors by value.
// run: -k scalar_args -g 17 b:long:17 char:-5 uchar:250 short:-300 ushort:65000 int:-70000 uint:4000000000 long:-5000000000 ulong:9000000000 float:1.5 double:2.25 int4:1,-2,3,-4 float2:0.5,4 uchar8:1,2,3,4,5,6,7,255
// sum: 0 8fff8da2b7d58169
__kernel void scalar_args(__global long *out, char c, uchar uc, short s, ushort us, int i, uint ui, long l, ulong ul, float f, double d, int4 v, float2 g, uchar8 b) {
  int id = get_global_id(0);
  long r = c + uc;
  switch (id) {
  case 0: r = c; break;
  case 1: r = uc; break;
  case 2: r = s; break;
  case 3: r = us; break;
  case 4: r = i; break;
  case 5: r = ui; break;
  case 6: r = l; break;
  case 7: r = (long)ul; break;
  case 8: r = (long)(f * 1000); break;
  case 9: r = (long)(d * 1000); break;
  case 10: case 11: case 12: case 13: r = id & 1 ? v.y + v.w * 10 : v.x + v.z * 10; break;
  case 14: r = (long)(g.x * g.y * 100.0f); break;
  case 15: r = b.s7 * 1000 + b.s0 + b.s3; break;
  }
  out[id] = r;
}
