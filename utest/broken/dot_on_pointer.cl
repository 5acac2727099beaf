// error: 4
typedef struct { int x; } s;
__kernel void k(__global s *o) {
  o.x = 1;
}
