// The same in 64-bit fixed point with 28 fraction bits.
// run: -k mandelbrot_fixed -g 40,30 b:int:1200 int:60
// sum: 0 d54493d0013cfb40
#define FRACTION 28
__kernel void mandelbrot_fixed(__global int *out, int limit) {
  int px = get_global_id(0), py = get_global_id(1), w = get_global_size(0), h = get_global_size(1);
  long cx = (-2L << FRACTION) + ((3L << FRACTION) * px) / w;
  long cy = (-1L << FRACTION) + ((2L << FRACTION) * py) / h;
  long x = 0, y = 0;
  int n = 0;
  do {
    long xx = (x * x) >> FRACTION, yy = (y * y) >> FRACTION;
    if (xx + yy > (4L << FRACTION))
      break;
    y = ((x * y) >> (FRACTION - 1)) + cy;
    x = xx - yy + cx;
  } while (++n < limit);
  out[py * w + px] = n;
}
