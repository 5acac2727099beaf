// error: 3
__kernel void k(__global ulong *o) {
  o[0] = 99999999999999999999999;
}
