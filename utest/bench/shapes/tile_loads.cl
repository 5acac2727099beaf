// A matrix product by tiles of 16x4 that 64 work-items in one dimension load by lid / 4 and lid % 4.
// run: -k tile_loads -g 384 -l 64 b:float:32*12:rand,313,-1,1 b:float:12*12:rand,314,-1,1 b:float:32*12 int:12 int:12
// sum: 0 6ada2c416bebb9ec
// sum: 1 39694cdd0e0a8fdc
// sum: 2 4b0d4081c37050e0
// bench: -k tile_loads -g 65536 -l 64 b:float:256*256:rand,313,-1,1 b:float:256*256:rand,314,-1,1 b:float:256*256 int:256 int:256
// sum: 0 e598a5c7671d5299
// sum: 1 99ed2201b52cbc01
// sum: 2 843c081980e8a252
__kernel __attribute__((reqd_work_group_size(64, 1, 1))) void tile_loads(__global const float *a, __global const float *b, __global float *c, int n, int k) {
  __local float left[16][4], right[4][4];
  int lid = get_local_id(0), row = lid / 4, col = lid % 4, across = n / 4;
  int row0 = get_group_id(0) / across * 16, col0 = get_group_id(0) % across * 4;
  float sum = 0.0f;
  for (int p = 0; p < k; p += 4) {
    left[row][col] = a[(row0 + row) * k + p + col];
    if (row < 4)
      right[row][col] = b[(p + row) * n + col0 + col];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int q = 0; q < 4; q++)
      sum += left[row][q] * right[q][col];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  c[(row0 + row) * n + col0 + col] = sum;
}
