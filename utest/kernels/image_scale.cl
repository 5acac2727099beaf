// Images read through samplers: filtered, rotated, out of bounds, in a divergent branch.
// run: -k scale -g 64,48 image2d:rgba,float:40x30:rand,9,-1,1 image2d:rgba,float:64x48 float:0.4
// sum: 1 57d31855b6c58385
// run: -k scale -g 50,31 -D MODE=CLK_ADDRESS_MIRRORED_REPEAT image2d:r,unorm16:17x9:rand,9 image2d:rgba,half:50x31 float:3
// sum: 1 c05f692f16bf7516
// run: -k scale -g 50,31 -D MODE=CLK_ADDRESS_CLAMP_TO_EDGE image2d:rgba,unorm8:17x9:rand,9 image2d:rgba,unorm8:50x31 float:1.2
// sum: 1 ec23aae4eaac0f78
#ifndef MODE
#define MODE CLK_ADDRESS_REPEAT
#endif
__kernel void scale(__read_only image2d_t in, __write_only image2d_t out, float turn) {
  const sampler_t smooth = CLK_NORMALIZED_COORDS_TRUE | MODE | CLK_FILTER_LINEAR;
  int2 p = (int2)(get_global_id(0), get_global_id(1));
  float2 c = (convert_float2(p) + 0.5f) / convert_float2(get_image_dim(out)) - 0.5f;
  float4 color;
  if (c.x * c.x + c.y * c.y < 0.2f)
    color = read_imagef(in, smooth, (float2)(c.x - turn * c.y, turn * c.x + c.y) * 1.5f + 0.5f);
  else
    color = read_imagef(in, p / 2).wzyx * 0.5f;
  write_imagef(out, p, color);
}
