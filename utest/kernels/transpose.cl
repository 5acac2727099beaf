// A 2-D transpose: contiguous loads, strided stores.
// run: -k transpose -g 40,25 b:float:1000:rand,237 b:float:1000
// sum: 0 41e1f583ef7ab48e
// sum: 1 445fae7c01fb518a
// run: -k transpose -g 8,8 -l 4,2 b:float:64:rand,237 b:float:64
// sum: 0 d32536feac4bfb85
// sum: 1 b392cc5f8eac7121
__kernel void transpose(__global const float *in, __global float *out) {
  size_t x = get_global_id(0), y = get_global_id(1);
  out[x * get_global_size(1) + y] = in[y * get_global_size(0) + x];
}
