// error: 4
struct s {
  int x;
  float x;
};
__kernel void k(__global int *o) {
  o[0] = 1;
}
