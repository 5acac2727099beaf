// error: 3
__kernel void k(__global int *o) {
  o[0] = convert_int_xyz(1.5f);
}
