// error: 3
enum a { X, Y };
enum b { Y, Z };
__kernel void k(__global int *o) {
  o[0] = Z;
}
