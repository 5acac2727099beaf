// error: 5
__kernel void k(__global int *o) {
  switch (o[0]) {
  case 1: o[1] = 2; break;
  case 2 - 1: o[1] = 3; break;
  }
}
