// error: 2
__kernel int k(__global int *o) { return o[0]; }
