// A 5-point stencil by work-groups of 8x8 that load a tile of 10x10 into local memory.
// run: -k groups_8x8 -g 24,16 -l 8,8 b:float:24*16:rand,303,-1,1 b:float:24*16
// sum: 0 f35747d1d4918f8e
// sum: 1 a5e807c170a9c087
// bench: -k groups_8x8 -g 1024,1024 -l 8,8 b:float:1024*1024:rand,303,-1,1 b:float:1024*1024
// sum: 0 7a50d690f67876ce
// sum: 1 774d6876c9bb49c5
__kernel __attribute__((reqd_work_group_size(8, 8, 1))) void groups_8x8(__global const float *in, __global float *out) {
  __local float tile[10][10];
  int x = get_global_id(0), y = get_global_id(1), w = get_global_size(0), h = get_global_size(1);
  int lx = get_local_id(0), ly = get_local_id(1);
  tile[ly + 1][lx + 1] = in[y * w + x];
  if (lx == 0)
    tile[ly + 1][0] = x > 0 ? in[y * w + x - 1] : 0.0f;
  if (lx == 7)
    tile[ly + 1][9] = x < w - 1 ? in[y * w + x + 1] : 0.0f;
  if (ly == 0)
    tile[0][lx + 1] = y > 0 ? in[(y - 1) * w + x] : 0.0f;
  if (ly == 7)
    tile[9][lx + 1] = y < h - 1 ? in[(y + 1) * w + x] : 0.0f;
  barrier(CLK_LOCAL_MEM_FENCE);
  float around = tile[ly][lx + 1] + tile[ly + 2][lx + 1] + tile[ly + 1][lx] + tile[ly + 1][lx + 2];
  out[y * w + x] = tile[ly + 1][lx + 1] - 0.25f * around;
}
