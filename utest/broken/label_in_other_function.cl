// error: 7
void f(__global int *o) {
there:
  o[0]++;
}
__kernel void k(__global int *o) {
  goto there;
}
