// error: 4
struct later;
__kernel void k(__global int *o) {
  o[0] = sizeof(struct later);
}
