// A 3-tap blur with clamped ends along the rows of an image whose rows are dimension 0: accesses are contiguous in get_global_id(1).
// run: -k column_blur -g 21,37 b:float:21*37:rand,301,-1,1 b:float:21*37
// sum: 0 eaf18c8d26eafe4f
// sum: 1 53b8c0448d4e3d6c
// bench: -k column_blur -g 1024,1024 b:float:1024*1024:rand,301,-1,1 b:float:1024*1024
// sum: 0 8d67a799d05fd17c
// sum: 1 434b806ceaf2416d
__kernel void column_blur(__global const float *in, __global float *out) {
  int row = get_global_id(0), col = get_global_id(1), w = get_global_size(1);
  float left = in[row * w + max(col - 1, 0)], right = in[row * w + min(col + 1, w - 1)];
  out[row * w + col] = 0.25f * left + 0.5f * in[row * w + col] + 0.25f * right;
}
