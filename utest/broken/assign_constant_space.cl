// error: 4
__constant int table[2] = {1, 2};
__kernel void k(__global int *o) {
  table[0] = 5;
  o[0] = table[0];
}
