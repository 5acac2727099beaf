// error: 2
typedef int number = 3;
__kernel void k(__global int *o) {
  o[0] = 1;
}
