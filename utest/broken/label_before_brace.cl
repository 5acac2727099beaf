// error: 5
__kernel void k(__global int *o) {
  if (o[0]) goto end;
  o[0] = 1;
end: }
