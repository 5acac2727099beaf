// error: 2
__constant int table[4];
__kernel void k(__global int *o) {
  o[0] = table[0];
}
