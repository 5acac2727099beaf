// error: 5
__kernel void k(__global int *o) {
  switch (o[0]) {
  case 1:
    continue;
  }
}
