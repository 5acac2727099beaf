// error: 2
struct s { int x int y; };
__kernel void k(__global int *o) {
  o[0] = 1;
}
