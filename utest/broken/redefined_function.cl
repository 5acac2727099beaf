// error: 3
int f(int x) { return x; }
int f(int x) { return x + 1; }
__kernel void k(__global int *o) {
  o[0] = f(1);
}
