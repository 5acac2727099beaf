// error: 4
int f(void) { return 1; }
__kernel void k(__global int *o) {
  f() = o[0];
}
