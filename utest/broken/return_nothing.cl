// error: 3
typedef struct { int x; } s;
int f(int x) { s v = {x}; return v; }
__kernel void k(__global int *o) {
  o[0] = f(1);
}
