// Ids of a 3-D range.
// run: -k ids_3d -g 7,5,3 b:uint:105 b:uint:105
// sum: 0 ed85a80eb24efd3d
// sum: 1 23e7fde467731e4a
// run: -k ids_3d -g 8,4,6 -l 4,2,3 b:uint:192 b:uint:192
// sum: 0 d8a1e9d19a2d3365
// sum: 1 23bf43de268a4b25
// run: -k ids_3d -g 5,4,3 --offset 1,2,3 b:uint:60 b:uint:60
// sum: 0 ebb486bf10f1ec01
// sum: 1 f48d172f4d3c0c55
__kernel void ids_3d(__global uint *out, __global uint *sizes) {
  uint d[3], s[3];
  d[0] = get_global_id(0) - get_global_offset(0);
  d[1] = get_global_id(1) - get_global_offset(1);
  d[2] = get_global_id(2) - get_global_offset(2);
  s[0] = get_global_size(0);
  s[1] = get_global_size(1);
  s[2] = get_global_size(2);
  uint at = (d[2] * s[1] + d[1]) * s[0] + d[0];
  out[at] = get_global_id(0) | get_global_id(1) << 8 | get_global_id(2) << 16;
  sizes[at] = s[0] | s[1] << 8 | s[2] << 16;
}
