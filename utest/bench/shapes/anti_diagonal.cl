// Edit distance of two strings per work-group along anti-diagonals: three diagonals in local memory, a barrier after each.
// run: -k anti_diagonal -g 96 -l 32 -D N=32 b:uchar:3*32:rand,308,97,100 b:uchar:3*32:rand,309,97,100 b:int:3
// sum: 0 ec8374cc6339702b
// sum: 1 ddf8ac70b72a6b98
// sum: 2 c75a4b3150a6a7b4
// bench: -k anti_diagonal -g 16384 -l 128 -D N=128 b:uchar:16384:rand,308,97,100 b:uchar:16384:rand,309,97,100 b:int:128
// sum: 0 f28d89881f9141c9
// sum: 1 b7c023cdd0c1d4db
// sum: 2 754f384e0587bf63
__kernel void anti_diagonal(__global const uchar *a, __global const uchar *b, __global int *distance) {
  __local int rows[3][N + 1];
  int l = get_local_id(0), i = l + 1, base = get_group_id(0) * N;
  uchar mine = a[base + l];
  if (l == 0) {
    rows[0][0] = 0;
    rows[1][0] = 1;
    rows[1][1] = 1;
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int d = 2; d <= 2 * N; d++) {
    __local int *now = rows[d % 3], *last = rows[(d + 2) % 3], *before = rows[(d + 1) % 3];
    int j = d - i;
    if (j >= 1 && j <= N) {
      int change = before[i - 1] + (mine != b[base + j - 1]);
      now[i] = min(change, min(last[i - 1], last[i]) + 1);
    } else if (j == 0) {
      now[i] = d;
    }
    if (l == 0 && d <= N)
      now[0] = d;
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (l == 0)
    distance[get_group_id(0)] = rows[2 * N % 3][N];
}
