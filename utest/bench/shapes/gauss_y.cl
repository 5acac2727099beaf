// A Gaussian blur of radius 4 along y with clamped rows, the second pass of a separable blur.
// run: -k gauss_y -g 37,13 b:float:37*13:rand,335 b:float:37*13
// sum: 0 fb0bc14ebc6ec749
// sum: 1 f91757158de1eb34
// bench: -k gauss_y -g 1024,1024 b:float:1024*1024:rand,335 b:float:1024*1024
// sum: 0 2dbb3347ed5c11f5
// sum: 1 ed2035ed62e6a9d8
__constant float taps[9] = {0.0276f, 0.0663f, 0.1238f, 0.1802f, 0.2042f, 0.1802f, 0.1238f, 0.0663f, 0.0276f};
__kernel void gauss_y(__global const float *in, __global float *out) {
  int x = get_global_id(0), y = get_global_id(1), w = get_global_size(0), h = get_global_size(1);
  float sum = 0.0f;
  for (int d = -4; d <= 4; d++)
    sum += taps[d + 4] * in[clamp(y + d, 0, h - 1) * w + x];
  out[y * w + x] = sum;
}
