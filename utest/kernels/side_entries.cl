// Uniform and divergent branches into each other's arms.
// run: -k side_entries -g 500 b:int:500:rand,61,-50,50 b:int:500 int:1 int:7
// sum: 0 403935be065f9fa3
// sum: 1 08b2a8293a2e00b5
// run: -k side_entries -g 500 b:int:500:rand,61,-50,50 b:int:500 int:0 int:7
// sum: 0 403935be065f9fa3
// sum: 1 1af257085a27f206
// run: -k side_entries -g 500 b:int:500:rand,61,-50,50 b:int:500 int:5 int:2
// sum: 0 403935be065f9fa3
// sum: 1 a50d2c7d9700e58b
// run: -k side_entries -g 500 b:int:500:rand,61,-50,50 b:int:500 int:2 int:-4
// sum: 0 403935be065f9fa3
// sum: 1 aea2e349527a1142
__kernel void side_entries(__global const int *in, __global int *out, int mode, int n) {
  int i = get_global_id(0);
  int x = in[i], r = 1, t = mode;
  if (x > 10)
    goto first;
  r += x;
  if (mode & 1) {
    t = 11;
    goto second;
  }
  r *= 3;
  t += 2;
first:
  r ^= t;
  if (x & 1)
    goto third;
  if (n > 3) {
    t = n;
    goto last;
  }
second:
  r -= t + x;
  if (x < -20)
    goto last;
  t = t * 2 + 1;
third:
  r = r * 5 + t;
  if (mode & 4)
    t -= 9;
last:
  out[i] = r * 100 + t;
}
