// error: 3
int f(int x);
float f(float x) { return x; }
__kernel void k(__global float *o) {
  o[0] = f(1);
}
