// error: 2
__kernel void k(__global int *o,