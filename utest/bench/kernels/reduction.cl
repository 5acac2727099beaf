// Each work-item sums a strip of 256 with a transformation: a uniform loop over contiguous loads.
// run: -k reduction -g 32768 b:int:32768*256:rand,3 b:int:32768
// sum: 0 d1ced817f3197912
// sum: 1 4f26e3eb60802c0f
__kernel void reduction(__global const int *in, __global int *out) {
  int i = get_global_id(0), n = get_global_size(0);
  int sum = 0;
  for (int k = 0; k < 256; k++) {
    int v = in[k * n + i];
    sum += (v ^ (v >> 3)) & 0xffff;
  }
  out[i] = sum;
}
