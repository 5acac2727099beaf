// A work-group copies its tile of an image with a border to local memory, and a branch after a barrier reads more.
// run: -k tile -g 48,32 -l 16,8 image2d:rgba,unorm8:45x30:rand,8 sampler:edge image2d:rgba,snorm16:45x30
// sum: 2 56388d2a13483f5d
// run: -k tile -g 48,32 -l 8,4 image2d:bgra,unorm8:45x30:rand,8 sampler:clamp image2d:rg,half:45x30
// sum: 2 83d81ac80b6ad41b
__kernel void tile(read_only image2d_t in, sampler_t s, write_only image2d_t out) {
  __local float4 part[10][18];
  int lx = get_local_id(0), ly = get_local_id(1), w = get_local_size(0), h = get_local_size(1);
  int x0 = get_group_id(0) * w - 1, y0 = get_group_id(1) * h - 1;
  for (int y = ly; y < h + 2; y += h)
    for (int x = lx; x < w + 2; x += w) part[y][x] = read_imagef(in, s, (int2)(x0 + x, y0 + y));
  barrier(CLK_LOCAL_MEM_FENCE);
  float4 sum = 0;
  for (int y = 0; y < 3; y++)
    for (int x = 0; x < 3; x++) sum += part[ly + y][lx + x];
  barrier(CLK_LOCAL_MEM_FENCE);
  int2 at = (int2)(get_global_id(0), get_global_id(1));
  if (sum.x > 4.5f) sum -= read_imagef(in, s, at.yx);
  part[ly][lx] = sum / 9;
  barrier(CLK_LOCAL_MEM_FENCE);
  write_imagef(out, at, part[ly][w - 1 - lx]);
}
