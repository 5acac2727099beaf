// error: 2
__constant char s[] = "abc;
__kernel void k(__global int *o) {
  o[0] = s[0];
}
