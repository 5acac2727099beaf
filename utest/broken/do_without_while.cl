// error: 3
__kernel void k(__global int *o) {
  do { o[0]++; } o[1] = 2;
}
