// error: 4
#if 1
#else
#else
#endif
__kernel void k(__global int *o) {
  o[0] = 1;
}
