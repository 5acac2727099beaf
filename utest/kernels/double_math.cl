// Doubles: + - * /, sqrt, fma, comparisons, conversions from and to integers and float.
// run: -k double_math -g 1000 b:double:1000:rand,85,-100,100 b:double:1000 b:long:1000 b:float:1000
// sum: 0 dacf9811b4aa4252
// sum: 1 cf3ac44c7d5e79b9
// sum: 2 83f834db64a3c17a
// sum: 3 dca6cc8b2c2a32d6
__kernel void double_math(__global const double *in, __global double *out, __global long *whole, __global float *single) {
  int i = get_global_id(0);
  double x = in[i], s = 0.0;
  for (int k = 1; k <= 8; k++) {
    s = s + x / k;
    if (s > 50.0)
      s -= 50.0;
    else if (s < -50.0)
      s = -s * 0.5;
  }
  out[i] = sqrt(fabs(s)) + fma(x, 3.0, 1.0);
  whole[i] = (long)(s * 1e12) + (int)x;
  single[i] = (float)s + (float)i;
}
