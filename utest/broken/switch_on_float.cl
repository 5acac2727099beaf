// error: 3
__kernel void k(__global float *o) {
  switch (o[0]) {
  case 1:
    o[0] = 2.0f;
  }
}
