// error: 4
void f(__local int *p) { p[0] = 1; }
__kernel void k(__global int *o) {
  f(o);
}
