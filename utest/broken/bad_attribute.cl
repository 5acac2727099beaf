// error: 2
__attribute__((reqd_work_group_size(8, 1, 1) __kernel void k(__global int *o) {
  o[0] = 1;
}
