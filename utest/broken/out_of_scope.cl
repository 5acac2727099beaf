// error: 5
__kernel void k(__global int *o) {
  for (int i = 0; i < 3; i++)
    o[i] = i;
  o[3] = i;
}
