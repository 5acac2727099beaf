// Windows whose ends are clamped, wrapped around or selected: lanes away from the borders
// load rows. Rows shorter than a vector have borders in every vector.
// run: -k clamped -g 70,5 b:float:350:rand,3 b:float:350 int:70 int:5 int:2
// sum: 0 a95841c61e31e152
// sum: 1 75bfde8bb7c2ab60
// run: -k clamped -g 3,4 b:float:12:rand,4 b:float:12 int:3 int:4 int:1
// sum: 0 18024892d17dc4f0
// sum: 1 244d0a38fb103293
// run: -k torus -g 100,6 b:uchar:600:rand,5 b:uchar:600 b:int:600
// sum: 0 a0543f517b4ab173
// sum: 1 f7ab2e85e82c6277
// sum: 2 3b4eef0857421655
// run: -k moved -g 150 b:int:150:rand,6,0,1000 b:int:151 int:149 int:5
// sum: 0 4c6464f19cac5628
// sum: 1 a59fae28f78455f9
// run: -k moved -g 150 b:int:150:rand,6,0,1000 b:int:151 int:20 int:40
// sum: 0 4c6464f19cac5628
// sum: 1 c45ca3e54d3aa168
__kernel void clamped(__global const float *in, __global float *out, int w, int h, int r) {
  int x = get_global_id(0), y = get_global_id(1);
  if (x >= w)
    return;
  float s = 0;
  for (int dy = -r; dy <= r; dy++)
    for (int dx = -r; dx <= r; dx++)
      s += in[clamp(y + dy, 0, h - 1) * w + clamp(x + dx, 0, w - 1)] * (dx + 3);
  out[y * w + x] = s + in[y * w + min(x + 1, w - 1)] - in[y * w + max(x - 1, 0)];
}

__kernel void torus(__global const uchar *in, __global uchar *out, __global int *sum) {
  int x = get_global_id(0), y = get_global_id(1), w = get_global_size(0), h = get_global_size(1);
  int n = 0;
  for (int dy = -1; dy <= 1; dy++)
    for (int dx = -1; dx <= 1; dx++)
      n += in[(y + dy + h) % h * w + (x + dx + w) % w] << (dx + 1);
  int right = x + 1 == w ? 0 : x + 1;
  out[y * w + right] = n;
  sum[y * w + (x == 0 ? w - 1 : x - 1)] = n + in[y * w + (uint)(x + 7) % (uint)w];
}

// Stores and loads stay in order.
__kernel void moved(__global int *a, __global int *out, int n, int d) {
  int i = get_global_id(0);
  int left = i < d || i > n ? 0 : i - d, s = 0;
  for (int k = 0; k < 3; k++) {
    s = s * 5 + a[min(i + k, n)] + a[left];
    out[i == 149 ? 150 : i] = s;
    s += out[i == 149 ? 150 : i];
  }
}
