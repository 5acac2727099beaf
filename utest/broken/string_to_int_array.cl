// error: 3
__kernel void k(__global int *o) {
  float a[4] = "abc";
  o[0] = a[0];
}
