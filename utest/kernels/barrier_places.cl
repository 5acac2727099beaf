// Barriers in a helper, in a branch of a loop and after it; private arrays and
// sums that are live across them.
// run: -k places -g 192 -l 48 b:int:192:rand,3 int:7
// sum: 0 694ffd771e0ceddd
// run: -k places -g 21 -l 7 b:int:21:rand,4 int:5
// sum: 0 d51f1a9c0ffcd613
int next(__local int *t, int l, int n) {
  barrier(CLK_LOCAL_MEM_FENCE);
  int r = t[(l + 1) % n];
  barrier(CLK_LOCAL_MEM_FENCE);
  return r;
}
__kernel void places(__global int *p, int rounds) {
  __local int t[64];
  int l = get_local_id(0), n = get_local_size(0);
  int v = p[get_global_id(0)];
  int mine[5];
  for (int i = 0; i < 5; i++) mine[i] = v * i;
  for (int i = 0; i < rounds; i++) {
    t[l] = v;
    if (i % 3 == 1)
      v = next(t, l, n) + 1;
    else
      barrier(CLK_LOCAL_MEM_FENCE);
    v += mine[(i + v) & 3];
  }
  p[get_global_id(0)] = v;
}
