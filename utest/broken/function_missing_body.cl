// error: 2
int f(int x)
__kernel void k(__global int *o) {
  o[0] = f(1);
}
