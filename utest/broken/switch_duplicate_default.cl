// error: 4
__kernel void k(__global int *o) {
  switch (o[0]) {
  default: default: o[1] = 3;
  }
}
