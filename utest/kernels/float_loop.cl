// Float recurrences with divergent exits: Newton's method and a continued fraction.
// run: -k float_loop -g 1000 b:float:1000:rand,103,0.5,90 b:float:2000 b:int:1000
// sum: 0 6af346c8363538b3
// sum: 1 245c4574cbc3c760
// sum: 2 2b5d3c7003011f90
__kernel void float_loop(__global const float *in, __global float *out, __global int *steps) {
  int i = get_global_id(0);
  float a = in[i], x = a, last = 0.0f;
  int n = 0;
  while (fabs(x - last) > 1e-4f && n < 40) {
    last = x;
    x = 0.5f * (x + a / x);
    n++;
  }
  float cf = a;
  for (int k = 0; k < (int)a; k++)
    cf = (float)(k + 1) + 1.0f / cf;
  out[2 * i] = x;
  out[2 * i + 1] = cf;
  steps[i] = n;
}
