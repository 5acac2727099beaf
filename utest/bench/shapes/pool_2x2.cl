// Maximum pooling of 2x2 windows with stride 2 and bounds tests at an odd edge.
// run: -k pool_2x2 -g 18,11 b:float:35*21:rand,306,-1,1 b:float:18*11 int:35 int:21
// sum: 0 b9bc4f6379a143a8
// sum: 1 5c5d4b4b987f6fc4
// bench: -k pool_2x2 -g 512,1024 b:float:1023*2047:rand,306,-1,1 b:float:512*1024 int:1023 int:2047
// sum: 0 cd98f44dd874c0b6
// sum: 1 6e2b48e6ce74846b
__kernel void pool_2x2(__global const float *in, __global float *out, int w, int h) {
  int x = get_global_id(0), y = get_global_id(1);
  float best = -INFINITY;
  for (int dy = 0; dy < 2; dy++)
    for (int dx = 0; dx < 2; dx++) {
      int sx = 2 * x + dx, sy = 2 * y + dy;
      if (sx < w && sy < h)
        best = fmax(best, in[sy * w + sx]);
    }
  out[y * get_global_size(0) + x] = best;
}
