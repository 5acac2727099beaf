// error: 3
__kernel void k(__global int *o) {
  int f(int x) { return x; }
  o[0] = f(1);
}
