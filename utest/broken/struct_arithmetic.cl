// error: 4
typedef struct { int x; } s;
__kernel void k(__global s *o) {
  s a = o[0] + o[1];
  o[0] = a;
}
