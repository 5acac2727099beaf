// ifs at one, two and three levels, with and without else.
// run: -k if_nest -g 1000 b:int:1000:rand,7 b:int:1000
// sum: 0 36a8bcfa5b566986
// sum: 1 e912d8b21243e6b3
// run: -k if_nest -g 1 b:int:1:rand,7 b:int:1
// sum: 0 711d1a45eaa36bc0
// sum: 1 71017028803a5580
// run: -k if_nest -g 1023 b:int:1023:const,5 b:int:1023
// sum: 0 da598390b4c33750
// sum: 1 2a0bb419ab6df756
__kernel void if_nest(__global const int *in, __global int *out) {
  int i = get_global_id(0);
  int v = in[i], r = 1;
  if (v & 1)
    r += 2;
  if (v & 2) {
    if (v & 4)
      r *= 3;
    else
      r -= 7;
  }
  if (v & 8) {
    r ^= 0x11;
    if (v & 16) {
      r += v & 0xff;
      if (v & 32)
        r = -r;
      else if (v & 64)
        r <<= 1;
      else
        r = r * 5 + 1;
      r++;
    }
    r += 9;
  } else {
    if (v & 128)
      r += 1000;
  }
  out[i] = r;
}
