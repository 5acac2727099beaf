// error: 2
struct s { int x; struct s next; };
__kernel void k(__global int *o) {
  o[0] = 1;
}
