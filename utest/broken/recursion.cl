// error: 2
int f(int n) { return n > 0 ? f(n - 1) + 1 : 0; }
__kernel void k(__global int *o) {
  o[0] = f(o[0]);
}
