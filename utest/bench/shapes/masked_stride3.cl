// Brightness of packed RGB bytes with a bounds test: loads of stride 3 under a mask.
// run: -k masked_stride3 -g 64 b:uchar:3*53:rand,305 b:uchar:53 int:53
// sum: 0 d30b6a7627f3baba
// sum: 1 c0bf3f7ddcc9ab42
// bench: -k masked_stride3 -g 2097152 b:uchar:3*2097101:rand,305 b:uchar:2097101 int:2097101
// sum: 0 1ec12884d66c9edf
// sum: 1 3d1fef1955a7ea56
__kernel void masked_stride3(__global const uchar *rgb, __global uchar *gray, int n) {
  int i = get_global_id(0);
  if (i < n)
    gray[i] = (rgb[3 * i] * 77 + rgb[3 * i + 1] * 150 + rgb[3 * i + 2] * 29) >> 8;
}
