// The 3x3 texels around each one, clamped at the edge; read and written as normalized bytes.
// run: -k blur -g 75,41 image2d:rgba,unorm8:75x41:rand,5 image2d:rgba,unorm8:75x41
// sum: 1 9226babefd330a3b
// run: -k blur -g 33,20 -D BORDER=CLK_ADDRESS_CLAMP image2d:bgra,snorm8:33x20:rand,6 image2d:bgra,snorm8:33x20
// sum: 1 07339c4e00cf6487
#ifndef BORDER
#define BORDER CLK_ADDRESS_CLAMP_TO_EDGE
#endif
const sampler_t nearby = CLK_NORMALIZED_COORDS_FALSE | BORDER | CLK_FILTER_NEAREST;
__constant float weights[3] = { 0.25f, 0.5f, 0.25f };
float4 row(read_only image2d_t in, int x, int y) {
  float4 sum = 0;
  for (int i = -1; i <= 1; i++) sum += weights[i + 1] * read_imagef(in, nearby, (int2)(x + i, y));
  return sum;
}
__kernel void blur(read_only image2d_t in, write_only image2d_t out) {
  int x = get_global_id(0), y = get_global_id(1);
  float4 sum = 0;
  for (int j = -1; j <= 1; j++) sum += weights[j + 1] * row(in, x, y + j);
  write_imagef(out, (int2)(x, y), sum);
}
