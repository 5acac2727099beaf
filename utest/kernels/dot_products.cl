// A layer of a network of bytes: dot products of weights, the same for all work-items, with inputs.
// run: -k layer -g 500 b:char4:12:rand,401 b:uchar4:6000:rand,402 b:int:500:rand,403 int:12
// sum: 2 40daf48faf8a45bd
// run: -k saturating -g 500 b:uint:12:rand,404 b:uint:6000:rand,405 b:int:500:rand,406 int:12
// sum: 2 2362775b110dcc23
__kernel void layer(__global const char4 *weights, __global const uchar4 *in, __global int *out, int rows) {
  size_t i = get_global_id(0), n = get_global_size(0);
  int sum = out[i];
  for (int k = 0; k < rows; k++)
    sum += dot(weights[k], in[k * n + i]);
  out[i] = sum;
}

__kernel void saturating(__global const uint *a, __global const uint *b, __global int *out, int rows) {
  size_t i = get_global_id(0), n = get_global_size(0);
  int sum = out[i];
  uint total = sum;
  for (int k = 0; k < rows; k++) {
    uint x = a[k], y = b[k * n + i];
    sum = dot_acc_sat_4x8packed_us_int(x, y, sum);
    sum = dot_acc_sat_4x8packed_ss_int(x, y, sum);
    total = dot_acc_sat_4x8packed_uu_uint(x, y, total);
  }
  out[i] = sum ^ total;
}
