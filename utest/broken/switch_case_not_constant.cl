// error: 5
__kernel void k(__global int *o) {
  int n = o[1];
  switch (o[0]) {
  case n:
    o[1] = 2;
  }
}
