// The Mandelbrot set as an RGBA image, one work-item a pixel.
//
// Neighbouring pixels leave the loop after different numbers of steps: a
// divergent loop exit, the simplest reason why SIMD needs masks. Try
//
//	simtc run examples/mandelbrot.cl -k mandelbrot -g 1024,768 b:uchar4:1024*768 float2:-0.5,0 float:3 int:256
//	simtc compile examples/mandelbrot.cl --emit divergence
//
// run: -k mandelbrot -g 96,72 b:uchar4:96*72 float2:-0.5,0 float:3 int:64
// sum: 0 029f1135e9dd14b8

// color maps the number of steps to a pixel: black inside, a blue to yellow ramp outside.
uchar4 color(int steps, int limit) {
  if (steps == limit)
    return (uchar4)(0, 0, 0, 255);
  int t = steps * 255 / limit;
  return (uchar4)((uchar)min(4 * t, 255), (uchar)min(2 * t + 40, 255), (uchar)(160 - t / 2), 255);
}

__kernel void mandelbrot(__global uchar4 *image, float2 center, float width, int limit) {
  int px = get_global_id(0), py = get_global_id(1);
  int w = get_global_size(0), h = get_global_size(1);
  float step = width / (float)w;
  float2 c = center + ((float2)(px, py) - 0.5f * (float2)(w, h)) * step;
  float2 z = (float2)(0.0f);
  int n = 0;
  for (; n < limit; n++) {
    float2 sq = z * z;
    if (sq.x + sq.y > 4.0f)
      break;
    z = (float2)(sq.x - sq.y, 2.0f * z.x * z.y) + c;
  }
  image[py * w + px] = color(n, limit);
}
