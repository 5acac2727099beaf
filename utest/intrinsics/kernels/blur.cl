// 5 x 5 weights; by hand four vectors at once.
// run: -k blur -g 1024,512 b:float:1028*516:rand,3 b:float:1024*512 b:float:25:rand,5 int:1028
__kernel void blur(__global const float *in, __global float *out, __constant float *weights, int w) {
  int x = get_global_id(0), y = get_global_id(1);
  float s = 0;
  for (int j = 0; j < 5; j++)
    for (int i = 0; i < 5; i++)
      s += weights[j * 5 + i] * in[(y + j) * w + x + i];
  out[y * get_global_size(0) + x] = s;
}
