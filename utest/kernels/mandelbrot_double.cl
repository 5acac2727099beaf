// The same in double, with the exit test in the loop condition.
// run: -k mandelbrot_double -g 40,30 b:int:1200 int:50
// sum: 0 2a3c865bf93c7906
__kernel void mandelbrot_double(__global int *out, int limit) {
  size_t px = get_global_id(0), py = get_global_id(1);
  double cx = -0.75 + 0.002 * (double)px, cy = 0.1 + 0.001 * (double)py;
  double x = cx, y = cy;
  int n;
  for (n = 0; n < limit && x * x + y * y < 4.0; n++) {
    double t = x * x - y * y + cx;
    y = 2.0 * x * y + cy;
    x = t;
  }
  out[py * get_global_size(0) + px] = n;
}
// bench: -k mandelbrot_double -g 320,240 b:int:76800 int:100
// sum: 0 50156233b8ed0bed
