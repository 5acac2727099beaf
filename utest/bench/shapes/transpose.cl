// A naive transpose of a matrix whose side is a power of two: stores have a stride that maps to few sets of a cache.
// run: -k transpose -g 32,32 b:float:32*32:rand,324 b:float:32*32
// sum: 0 c9596c42a4c408f6
// sum: 1 370568155d192c2e
// bench: -k transpose -g 2048,2048 b:float:2048*2048:rand,324 b:float:2048*2048
// sum: 0 6427d0fd575598ac
// sum: 1 f844c58000bfff84
__kernel void transpose(__global const float *in, __global float *out) {
  int x = get_global_id(0), y = get_global_id(1), w = get_global_size(0), h = get_global_size(1);
  out[x * h + y] = in[y * w + x];
}
