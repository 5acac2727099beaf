// error: 3
__kernel void k(__global int *o) {
  goto 3;
}
