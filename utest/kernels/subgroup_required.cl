// Sub-groups of a size that the kernel requires, with idioms of real kernels. The results
// depend only on that size.
// run: -k tree -g 100 -l 25 b:float:100:zero b:float:100:rand,4,0,1
// sum: 0 e5024fa23da83693 the interpreter's: the driver has no sub-groups
// sum: 1 2aaa158dd4c8371f the interpreter's: the driver has no sub-groups
// run: -k blocks -g 64 -l 32 b:uint:512:zero b:uint:600:index b:ushort:512:index
// sum: 0 d434c80eacfd0545 the interpreter's: the driver has no sub-groups
// sum: 1 d6e9533e0c277a3d the interpreter's: the driver has no sub-groups
// sum: 2 7bfd3ada88a20425 the interpreter's: the driver has no sub-groups
// run: -k multiply -g 16,16 -l 16,2 b:float:256:zero b:float:256:rand,4,0,1 b:float:256:rand,5,0,1 int:16
// sum: 0 b34f7b907c34d9b0 the interpreter's: the driver has no sub-groups
// sum: 1 8d5589e55dad1acf the interpreter's: the driver has no sub-groups
// sum: 2 b9367edb66494891 the interpreter's: the driver has no sub-groups
#define WIDTH 8

__attribute__((intel_reqd_sub_group_size(WIDTH)))
__kernel void tree(__global float *out, __global const float *in) {
  uint i = get_global_id(0);
  float x = in[i];
  for (uint d = get_max_sub_group_size() / 2; d > 0; d >>= 1) x += sub_group_shuffle_xor(x, d);
  float y = in[i];
  for (int d = WIDTH / 2; d > 0; d /= 2) y = fmax(y, intel_sub_group_shuffle_down(y, y, d));
  out[i] = x + intel_sub_group_shuffle(y, 0);
}

__attribute__((intel_reqd_sub_group_size(WIDTH)))
__kernel void blocks(__global uint *out, __global const uint *in, __global ushort *small) {
  uint at = get_sub_group_id() * WIDTH * 8 + get_group_id(0) * get_local_size(0) * 8;
  uint8 v = intel_sub_group_block_read8(in + at);
  uint2 w = intel_sub_group_block_read2(in + at + 5);
  v.lo += (uint4)(intel_sub_group_block_read(in + at), w, 9);
  intel_sub_group_block_write8(out + at, v);
  ushort4 s = intel_sub_group_block_read_us4(small + at);
  intel_sub_group_block_write_us4(small + at, s.wzyx);
}

// Rows of a matrix distributed over the lanes, as in GEMM kernels.
__attribute__((intel_reqd_sub_group_size(WIDTH)))
__kernel void multiply(__global float *c, __global const float *a, __global const float *b, int n) {
  int row = get_global_id(1), col = get_global_id(0);
  float sum = 0;
  for (int k = 0; k < n; k += WIDTH) {
    float x = a[row * n + k + get_sub_group_local_id()];
    for (int j = 0; j < WIDTH; j++) sum = fma(sub_group_broadcast(x, j), b[(k + j) * n + col], sum);
  }
  c[row * n + col] = sum;
}
