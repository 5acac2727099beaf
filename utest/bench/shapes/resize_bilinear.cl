// Bilinear enlargement of an RGBA image by 3/2: four loads of uchar4 at fractional positions.
// run: -k resize_bilinear -g 30,21 b:uchar4:20*14:rand,323 b:uchar4:30*21 int:20 int:14
// sum: 0 b415a0d8558aa47f
// sum: 1 e36f910bf59ba6a3
// bench: -k resize_bilinear -g 768,768 b:uchar4:512*512:rand,323 b:uchar4:768*768 int:512 int:512
// sum: 0 fdcd6592000f53b7
// sum: 1 1e0d1edb7595ccf9
__kernel void resize_bilinear(__global const uchar4 *in, __global uchar4 *out, int w, int h) {
  int x = get_global_id(0), y = get_global_id(1), wide = get_global_size(0), high = get_global_size(1);
  float fx = (x + 0.5f) * w / wide - 0.5f, fy = (y + 0.5f) * h / high - 0.5f;
  float bx = floor(fx), by = floor(fy);
  int x0 = clamp((int)bx, 0, w - 1), x1 = clamp((int)bx + 1, 0, w - 1);
  int y0 = clamp((int)by, 0, h - 1), y1 = clamp((int)by + 1, 0, h - 1);
  float4 top = mix(convert_float4(in[y0 * w + x0]), convert_float4(in[y0 * w + x1]), fx - bx);
  float4 bottom = mix(convert_float4(in[y1 * w + x0]), convert_float4(in[y1 * w + x1]), fx - bx);
  out[y * wide + x] = convert_uchar4_sat_rte(mix(top, bottom, fy - by));
}
