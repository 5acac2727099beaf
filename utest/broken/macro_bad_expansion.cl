// error: 4
#define STORE(v) o[0] = v +;
__kernel void k(__global int *o) {
  STORE(3)
}
