// error: 4
__kernel void k(__global int *o) {
  int a = 1;
  float a = 2.0f;
  o[0] = a;
}
