// error: 3
__kernel void k(__global int *o) {
  whlie (o[0]) {
    o[0]--;
  }
}
