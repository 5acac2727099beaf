// error: 3
__kernel void k(__global int *o) {
  do { o[0]++; } while (o[0] < 9) o[1] = 2;
}
