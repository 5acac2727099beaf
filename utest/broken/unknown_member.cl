// error: 6
typedef struct {
  int x, y;
} point;
__kernel void k(__global point *o) {
  o[0].z = 1;
}
