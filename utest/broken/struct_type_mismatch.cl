// error: 5
typedef struct { int x; } s;
typedef struct { int x; } t;
__kernel void k(__global s *o, __global t *p) {
  s a = p[0];
  o[0] = a;
}
