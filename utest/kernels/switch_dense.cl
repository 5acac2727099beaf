// A dense switch, with fallthrough, and default in the middle.
// run: -k switch_dense -g 1000 b:int:1000:rand,31,-2,12 b:int:1000
// sum: 0 e361741c60ec8971
// sum: 1 0a5802d885d96e80
// run: -k switch_dense -g 1000 b:int:1000:const,4 b:int:1000
// sum: 0 4a5bfdd3a6ae86a5
// sum: 1 ce52f3e110c795e5
__kernel void switch_dense(__global const int *in, __global int *out) {
  int i = get_global_id(0);
  int r = 0;
  switch (in[i]) {
  case 0:
    r = 5;
    break;
  case 1:
    r = 7;
  case 2:
    r += 10;
  case 3:
    r += 100;
    break;
  case 4:
  case 5:
    r = in[i] * i;
    break;
  default:
    r = -1;
  case 6:
    r ^= 33;
    if (i & 1)
      break;
    r += 1000;
  case 7:
    r -= 2;
    break;
  case 8: {
    int t = i * 3;
    r = t + 1;
    break;
  }
  case 9:
    out[i] = 77;
    return;
  }
  out[i] = r;
}
