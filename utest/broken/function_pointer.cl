// error: 4
int f(int x) { return x; }
__kernel void k(__global int *o) {
  int (*p)(int) = f;
  o[0] = p(1);
}
