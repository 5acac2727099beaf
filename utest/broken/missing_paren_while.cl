// error: 3
__kernel void k(__global int *o) {
  while o[0] > 1) o[0]--;
}
