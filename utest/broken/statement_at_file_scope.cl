// error: 5
__kernel void k(__global int *o) {
  o[0] = 1;
}
while (1) { }
