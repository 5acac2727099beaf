// error: 3
#ifndef NOT_DEFINED_ANYWHERE
#error it must be defined
#endif
__kernel void k(__global int *o) {
  o[0] = 1;
}
