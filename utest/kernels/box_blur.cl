// A 3x3 box blur of RGBA bytes with clamped borders, uchar4 and uint4.
// run: -k box_blur -g 40,25 b:uchar4:1000:rand,236 b:uchar4:1000
// sum: 0 c83d093b47a99c95
// sum: 1 7c9fd056e0b1a901
__kernel void box_blur(__global const uchar4 *in, __global uchar4 *out) {
  int x = get_global_id(0), y = get_global_id(1), w = get_global_size(0), h = get_global_size(1);
  uint4 sum = (uint4)(0);
  for (int dy = -1; dy <= 1; dy++)
    for (int dx = -1; dx <= 1; dx++) {
      int sx = clamp(x + dx, 0, w - 1), sy = clamp(y + dy, 0, h - 1);
      sum += convert_uint4(in[sy * w + sx]);
    }
  out[y * w + x] = convert_uchar4((sum + 4) / 9);
}
// bench: -k box_blur -g 1024,512 b:uchar4:524288:rand,236 b:uchar4:524288
// sum: 0 d6d5ffdcd95432e1
// sum: 1 df9b48ed530539ad
