// Samplers as arguments of kernels and helpers, images of 1 and 3 dimensions, arrays, integer formats, sizes and format queries.
// run: -k volume -g 500 image3d:rg,half:9x7x5:rand,1,-2,2 sampler:linear,repeat,normalized b:float4:500:rand,2,-1.5,1.5 b:float4:500
// sum: 3 709dd4f19baa7106
// run: -k volume -g 500 image3d:luminance,snorm16:9x7x5:rand,1 sampler:nearest,clamp b:float4:500:rand,2,-3,9 b:float4:500
// sum: 3 37a17d2a80ee95de
// run: -k layers -g 300 image2d_array:rgba,uint8:6x5x4:rand,3 image1d_array:r,int16:11x3:rand,4 image1d_buffer:rgba,int32:64:rand,5 image1d:rgba,int8:300 sampler:edge b:uint4:300
// sum: 3 86036f1cffc2e672
// sum: 5 8f46c72b432c1ece
float4 inside(image3d_t v, sampler_t s, float4 at, float r) {
  float4 sum = 0;
  for (int i = 0; i < 3; i++) sum += read_imagef(v, s, at + (float4)(i * r, 0, -i * r, 0));
  return sum;
}
__kernel void volume(image3d_t v, sampler_t s, __global const float4 *at, __global float4 *out) {
  size_t i = get_global_id(0);
  float4 c = inside(v, s, at[i], 0.125f);
  out[i] = i % 7 == 3 ? convert_float4(get_image_dim(v)) + get_image_channel_order(v) - CLK_R : c;
}
__kernel void layers(read_only image2d_array_t a, read_only image1d_array_t b, read_only image1d_buffer_t c,
                     write_only image1d_t out, sampler_t s, __global uint4 *sums) {
  int i = get_global_id(0);
  uint4 x = read_imageui(a, s, (int4)(i % 8 - 1, i / 8 % 7 - 1, i / 56 - 1, 0));
  int4 y = read_imagei(b, s, (float2)(i * 0.04f - 0.5f, i * 0.01f));
  int4 z = read_imagei(c, i % 70);
  write_imagei(out, get_image_width(out) - 1 - i, y / 100 + z % 99);
  sums[i] = x + as_uint4(y) * 3 + as_uint4(z) + (uint)get_image_array_size(a) * 1000 + get_image_channel_data_type(b);
}
