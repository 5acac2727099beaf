// Volatile private variables whose addresses are not taken: a scalar, a vector, and a struct member.
// run: -k volatile_private -g 100 b:int:400:rand,7,-9,99 b:int:200 int:97
// sum: 0 bf08f7e72e676d14
// sum: 1 0db3afed9643ed75
struct pair { int first; volatile int second; };
__kernel void volatile_private(__global const int *in, __global int *out, int n) {
  volatile int i = get_global_id(0);
  volatile int4 sum;
  struct pair p = {0, n};
  if (i >= n)
    return;
  sum = (int4)(in[i], in[i + 100], 0, 1);
  for (volatile int k = 0; k < 4; k++) {
    if (in[i + 100 * k] & 1)
      p.second += in[i + 100 * k];
    else
      p.first -= k;
    sum.z += p.second;
  }
  sum.w = sum.x * sum.z + sum.w;
  out[2 * i] = sum.w - sum.y;
  out[2 * i + 1] = p.first ^ p.second;
}
