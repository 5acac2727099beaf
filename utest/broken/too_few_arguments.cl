// error: 4
int f(int a, int b) { return a + b; }
__kernel void k(__global int *o) {
  o[0] = f(1);
}
