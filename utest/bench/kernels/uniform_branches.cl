// Four uniform branches inside a divergent one: a linearizer that keeps them does a quarter of the work.
// run: -k uniform_branches -g 1048576 b:float:1048576:rand,5,-1,1 b:float:1048576 int:1 int:40
// sum: 0 ee2b853448d5973b
// sum: 1 88b29bc81cf950bb
__kernel void uniform_branches(__global const float *in, __global float *out, int mode, int n) {
  int i = get_global_id(0);
  float x = in[i], y = 0.0f;
  if (x > -0.5f) {
    for (int k = 0; k < n; k++) {
      if (mode & 1)
        y = y * x + 1.0f;
      if (mode & 2)
        y = sqrt(fabs(y)) / (x + 2.0f);
      if (mode & 4)
        y = (y - x) / (y * y + 1.0f);
      if (mode & 8)
        y = sqrt(y * y + x * x);
    }
  }
  out[i] = y;
}
