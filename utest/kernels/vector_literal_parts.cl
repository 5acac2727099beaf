// A postfix after a vector literal applies to the vector, if the name in parentheses is a vector type.
// run: -k parts -g 33 b:int:600
// sum: 0 4007b9979becf1ec
typedef int4 V;
typedef int I;
typedef struct { int x, y; } S;
typedef __global S *P;
__kernel void parts(__global int *o) {
  int i = get_global_id(0), n = i * 18;
  int4 a = (int4)(9, 8, i, 6);
  S s = { 20, i };
  o[n++] = (int4)(i + 5).y;
  o[n++] = sizeof (int4)(1, 2, 3, 4);
  o[n++] = sizeof (V)(1);
  o[n++] = (int4)(a).z;
  o[n++] = (V)(a).y;
  o[n++] = (V)(i + 4).s3;
  o[n++] = (V)(1, i, 3, 4).y;
  o[n++] = (I)(s).y;
  o[n++] = (I)(a).wz.y;
  o[n++] = ((P)(o + i * 18))->y;
  o[n++] = -(int4)(1, 2, 3, 4).y;
  o[n++] = (int4)(1, 2, 3, i)[3];
  int4 v = (int4)(1, 2, 3, 4).wzyx + (int4)(i).xxxx;
  o[n++] = v.x;
  o[n++] = v.w;
}
