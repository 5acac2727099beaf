// error: 2
#include nothing
__kernel void k(__global int *o) {
  o[0] = 1;
}
