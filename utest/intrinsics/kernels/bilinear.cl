// A picture scaled down by bilinear interpolation; by hand rows in scalars, pixels gathered.
// run: -k bilinear -g 1024,512 b:float:1024*512:rand,3 b:float:1024*512 int:1024 float:0.73 float:0.61
__kernel void bilinear(__global const float *in, __global float *out, int w, float sx, float sy) {
  int x = get_global_id(0), y = get_global_id(1);
  float fx = x * sx, fy = y * sy;
  int ix = (int)fx, iy = (int)fy;
  fx -= ix;
  fy -= iy;
  __global const float *p = in + iy * w + ix;
  float a = p[0] + (p[1] - p[0]) * fx, b = p[w] + (p[w + 1] - p[w]) * fx;
  out[y * get_global_size(0) + x] = a + (b - a) * fy;
}
