// error: 5
typedef struct { int x; } s;
__kernel void k(__global s *o) {
  s a = o[0];
  if (a)
    o[1] = a;
}
