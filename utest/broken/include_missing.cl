// error: 2
#include "no_such_header_anywhere.h"
__kernel void k(__global int *o) {
  o[0] = 1;
}
