// Edge detection in a picture of bytes, black at its border; by hand in 16 bits, rows without their ends.
// run: -k sobel -g 1920,1080 b:uchar:1920*1080:rand,7 b:uchar:1920*1080
__kernel void sobel(__global const uchar *in, __global uchar *out) {
  int x = get_global_id(0), y = get_global_id(1), w = get_global_size(0), h = get_global_size(1);
  if (x == 0 || y == 0 || x == w - 1 || y == h - 1) {
    out[y * w + x] = 0;
    return;
  }
  __global const uchar *a = in + (y - 1) * w + x, *b = a + w, *c = b + w;
  int gx = a[1] + 2 * b[1] + c[1] - a[-1] - 2 * b[-1] - c[-1];
  int gy = c[-1] + 2 * c[0] + c[1] - a[-1] - 2 * a[0] - a[1];
  out[y * w + x] = min(abs(gx) + abs(gy), 255);
}
