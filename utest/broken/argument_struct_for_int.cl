// error: 6
typedef struct { int x; } s;
int f(int a) { return a; }
__kernel void k(__global int *o) {
  s v = {1};
  o[0] = f(v);
}
