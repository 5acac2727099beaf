// error: 3
__kernel void k(__global int *o) {
  for (int i = 0, i < 3, i++) o[i] = 1;
}
