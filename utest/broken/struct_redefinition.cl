// error: 3
struct s { int x; };
struct s { int y; };
__kernel void k(__global int *o) {
  o[0] = 1;
}
