// error: 5
typedef struct { int x; } s;
__kernel void k(__global int *o) {
  s a = {1};
  int r = o[0] ? a : 3;
  o[0] = r;
}
