// error: 5
typedef struct { int x; } s;
__kernel void k(__global int *o) {
  s a = {1};
  o[0] = a->x;
}
