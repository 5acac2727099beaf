// One level of a Haar transform in place of pairs, with bounds tests on both elements: loads and stores of stride 2 under a mask.
// run: -k masked_stride2 -g 64 b:float:101:rand,304,-1,1 b:float:101 int:101
// sum: 0 549a5a703d53dd8b
// sum: 1 54b5b9a21db11281
// bench: -k masked_stride2 -g 1048576 b:float:2097151:rand,304,-1,1 b:float:2097151 int:2097151
// sum: 0 875cfc7ee502d215
// sum: 1 8ba88be838509dda
__kernel void masked_stride2(__global const float *in, __global float *out, int n) {
  int i = 2 * get_global_id(0);
  if (i >= n)
    return;
  float a = in[i], b = 0.0f;
  if (i + 1 < n)
    b = in[i + 1];
  out[i] = 0.5f * (a + b);
  if (i + 1 < n)
    out[i + 1] = 0.5f * (a - b);
}
