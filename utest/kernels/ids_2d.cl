// Ids of a 2-D range, with and without a local size and an offset.
// run: -k ids_2d -g 33,5 b:uint:165 b:uint:165
// sum: 0 7fbbbe3235ebd8c8
// sum: 1 6ab24b3a51d312b1
// run: -k ids_2d -g 32,6 -l 8,3 b:uint:192 b:uint:192
// sum: 0 9b093e38c0b34095
// sum: 1 d1860c6db77f99a5
// run: -k ids_2d -g 17,4 --offset 3,2 b:uint:68 b:uint:68
// sum: 0 d3a6fbb179438ee5
// sum: 1 cba57d78c030c25d
__kernel void ids_2d(__global uint *out, __global uint *sizes) {
  uint x = get_global_id(0) - get_global_offset(0), y = get_global_id(1) - get_global_offset(1);
  uint w = get_global_size(0), h = get_global_size(1);
  uint at = y * w + x;
  out[at] = get_global_id(0) + 1000 * get_global_id(1);
  sizes[at] = w * 100 + h + get_work_dim() * 100000;
  if (x > y && x + y < w)
    out[at] ^= 0x80000000u;
}
