// error: 2
void f(int x) { return x; }
__kernel void k(__global int *o) {
  f(o[0]);
}
