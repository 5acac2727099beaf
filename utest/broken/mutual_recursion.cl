// error: 2
int g(int n); int f(int n) { return n > 0 ? g(n - 1) : 0; } int g(int n) { return f(n); }
__kernel void k(__global int *o) {
  o[0] = f(o[0]);
}
