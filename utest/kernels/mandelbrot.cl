// Escape times over a 2-D range.
// run: -k mandelbrot -g 64,48 b:int:3072 int:64
// sum: 0 25e08f6b0f4cd175
// run: -k mandelbrot -g 17,5 b:int:85 int:200
// sum: 0 8e5bc18a9b72f724
__kernel void mandelbrot(__global int *out, int limit) {
  int px = get_global_id(0), py = get_global_id(1);
  int w = get_global_size(0), h = get_global_size(1);
  float cx = -2.0f + 3.0f * (float)px / (float)w;
  float cy = -1.25f + 2.5f * (float)py / (float)h;
  float x = 0.0f, y = 0.0f;
  int n = 0;
  while (n < limit) {
    float xx = x * x, yy = y * y;
    if (xx + yy > 4.0f)
      break;
    y = 2.0f * x * y + cy;
    x = xx - yy + cx;
    n++;
  }
  out[py * w + px] = n;
}
