// Iterations of z*z + c until it escapes: a divergent loop exit over few float operations.
// run: -k mandelbrot -g 1024,1024 b:int:1024*1024 int:256
// sum: 0 688a5bb18dbcf255
__kernel void mandelbrot(__global int *out, int limit) {
  int px = get_global_id(0), py = get_global_id(1), w = get_global_size(0), h = get_global_size(1);
  float cx = -2.0f + 2.5f * (float)px / (float)w, cy = -1.25f + 2.5f * (float)py / (float)h;
  float x = 0.0f, y = 0.0f;
  int n = 0;
  while (n < limit && x * x + y * y <= 4.0f) {
    float t = x * x - y * y + cx;
    y = 2.0f * x * y + cy;
    x = t;
    n++;
  }
  out[py * w + px] = n;
}
