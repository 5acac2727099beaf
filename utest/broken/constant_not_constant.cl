// error: 3
int f(void) { return 3; }
__constant int v = f();
__kernel void k(__global int *o) {
  o[0] = v;
}
