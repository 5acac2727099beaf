// Arms with the same loops and branches, one of which has additional operations: before, in and after them.
// run: -k arms_beside -g 300 b:float:300:rand,5,-2,2 b:uint:300:rand,6 b:float2:300 b:uint:300 int:7
// sum: 2 960426c35c54636d
// sum: 3 fc55f4c105abeef5
// run: -k arms_beside -g 77 b:float:77:const,1.5 b:uint:77:index,3 b:float2:77 b:uint:77 int:0
// sum: 0 7f72e2f1274274f8
// sum: 1 3ec08bb239be29c5
// sum: 2 ed7e9df2c76a45e6
// sum: 3 53df2334e7a84e3d
static float steps(float x, int n) {
  float s = x;
  for (int i = 0; i < n; i++) {
    if (s > 3.0f) s = s * 0.25f - x;
    s = s * x + sqrt(s * s + 1.0f);
  }
  return s;
}
static uint digits(uint x, uint base, int most) {
  uint sum = 0;
  for (int i = 0; i < most && x != 0; i++) {
    sum += x % base * (i + 1);
    x /= base;
  }
  return sum;
}
__kernel void arms_beside(__global const float *a, __global const uint *b, __global float2 *f, __global uint *g, int n) {
  int i = get_global_id(0);
  float x = a[i];
  float2 r;
  if (x > 0.3f)
    r.x = sin(x);
  else
    r.x = sin(x + 1.0f);
  if (x < 0.5f)
    r.y = steps(x, n);
  else
    r.y = steps(x * 0.5f, n) + 1.0f;
  f[i] = r;
  uint u = b[i], d;
  if (u & 4)
    d = digits(u, 10, n + 3);
  else
    d = digits(u ^ 0x55555555u, 7, n + 3) ^ 9;
  g[i] = d;
}
