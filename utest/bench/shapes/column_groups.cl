// Magnitudes of complex numbers by work-groups of (1,256): a row of a group has one work-item.
// run: -k column_groups -g 3,64 -l 1,32 b:float2:3*64:rand,302,-1,1 b:float:3*64
// sum: 0 18cfaae469a499f6
// sum: 1 4ee5f83919f59cbe
// bench: -k column_groups -g 1024,1024 -l 1,256 b:float2:1024*1024:rand,302,-1,1 b:float:1024*1024
// sum: 0 58a6b3feaed9bbba
// sum: 1 747c6a863f863247
__kernel void column_groups(__global const float2 *in, __global float *out) {
  size_t i = get_global_id(0) * get_global_size(1) + get_global_id(1);
  float2 z = in[i];
  out[i] = sqrt(z.x * z.x + z.y * z.y);
}
