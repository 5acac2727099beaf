// error: 4
__kernel void k(__global int *o) {
  int2 v = (int2)(1);
  o[0] = v.z;
}
