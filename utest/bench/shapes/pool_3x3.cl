// Average pooling of 3x3 windows with stride 2 and padding 1: bounds tests on four sides, and a count of the elements.
// run: -k pool_3x3 -g 18,11 b:float:35*21:rand,307,-1,1 b:float:18*11 int:35 int:21
// sum: 0 c41f1fab2486d86a
// sum: 1 b5f306aa710f8eb3
// bench: -k pool_3x3 -g 512,512 b:float:1023*1023:rand,307,-1,1 b:float:512*512 int:1023 int:1023
// sum: 0 e893635ae9d59532
// sum: 1 8fc843e9838fe3aa
__kernel void pool_3x3(__global const float *in, __global float *out, int w, int h) {
  int x = get_global_id(0), y = get_global_id(1), n = 0;
  float sum = 0.0f;
  for (int dy = -1; dy <= 1; dy++)
    for (int dx = -1; dx <= 1; dx++) {
      int sx = 2 * x + dx, sy = 2 * y + dy;
      if (sx >= 0 && sx < w && sy >= 0 && sy < h) {
        sum += in[sy * w + sx];
        n++;
      }
    }
  out[y * get_global_size(0) + x] = sum / n;
}
