// Iterations until z*z + c escapes; by hand two vectors at once.
// run: -k mandelbrot -g 512,512 b:int:512*512 float:-2 float:-1.25 float:0.0048828125
__kernel void mandelbrot(__global int *out, float x0, float y0, float step) {
  int x = get_global_id(0), y = get_global_id(1);
  float cr = x0 + x * step, ci = y0 + y * step, zr = 0, zi = 0;
  int n = 0;
  while (n < 256 && zr * zr + zi * zi <= 4.0f) {
    float t = zr * zr - zi * zi + cr;
    zi = 2 * zr * zi + ci;
    zr = t;
    n++;
  }
  out[y * get_global_size(0) + x] = n;
}
