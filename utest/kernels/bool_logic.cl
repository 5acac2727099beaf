// bool variables, conversions to bool, and logical operators on numbers of each kind.
// run: -k bool_logic -g 1000 b:int:1000:rand,119,-4,4 b:float:1000:rand,120,-1,1 b:int:1000
// sum: 0 4d2af2ea5145c96c
// sum: 1 304c668957453f6f
// sum: 2 852b39c37baf84aa
__kernel void bool_logic(__global const int *in, __global const float *f, __global int *out) {
  int i = get_global_id(0);
  bool a = in[i], b = f[i] > 0.0f, c = (bool)(in[i] & 2);
  bool flips[3] = {true, false, a};
  int r = a + b * 2 + c * 4 + !f[i] * 8;
  if (a ^ b)
    r += 16;
  c = c && !b;
  r += (c || flips[(in[i] + 4) % 3]) ? 32 : 64;
  bool d = 0.5f;
  d &= in[i] != 1;
  out[i] = d ? r : -r;
}
