// error: 3
__kernel void k(__global int *o) {
  case 1: o[0] = 1;
}
