// Pixels and elements numbered along rows: quotient and remainder of one ID are the coordinates
// of a work-item. Lanes of one row load rows and values uniform in the row; rows end anywhere
// in a vector, possibly several times.
// run: -k product -g 1600 b:float:1600:rand,3 b:float:1600:rand,4 b:float:1600 int:40
// sum: 0 30801165215f517b
// sum: 1 05cebe91ab97281a
// sum: 2 d788ca8ee1e8c86a
// run: -k product -g 99 b:float:99:rand,5 b:float:99:rand,6 b:float:99 int:3
// sum: 0 bcc3adf568d3414c
// sum: 1 b2d4fb7cdf289772
// sum: 2 f769066827ee6f97
// run: -k product -g 30 b:float:30:rand,5 b:float:30:rand,6 b:float:30 int:1
// sum: 0 3995643d340ddbef
// sum: 1 018bde82424e5567
// sum: 2 b541a725b053916d
// run: -k blur -g 2100 b:float:2100:rand,7 b:float:2100 int:70 int:30
// sum: 0 7100e9c77f3ab5b9
// sum: 1 a9325029572d6946
// run: -k blur -g 90 b:float:90:rand,8 b:float:90 int:5 int:18
// sum: 0 e51026889e30a6ba
// sum: 1 e2cfd8d2f5d98f21
// run: -k life -g 4096 b:uchar:4096:rand,9,0,1 b:uchar:4096
// sum: 0 cd0564ee326714b8
// sum: 1 4ec00b98b30ed2b4
// run: -k torus -g 1480 b:uchar:1480:rand,15 b:uchar:1480
// sum: 0 c95ab8560dce246d
// sum: 1 1a2b62860121d689
// run: -k fixed -g 2000 b:uint:4096:rand,10 b:uint:4096
// sum: 0 d690d452628be91c
// sum: 1 20c625d2d7a1c6df
// run: -k scaled -g 1500 b:int:1500:rand,11 b:int:60:rand,12 b:int:100:rand,13 b:int:3000 int:60 int:99
// sum: 0 b3601e0283cbea3f
// sum: 1 d7f5762326c5758e
// sum: 2 4c47121b62a5e512
// sum: 3 ac3780134332f465
// run: -k scaled -g 1500 b:int:1500:rand,11 b:int:60:rand,12 b:int:100:rand,13 b:int:3000 int:-60 int:-99
// sum: 0 b3601e0283cbea3f
// sum: 1 d7f5762326c5758e
// sum: 2 4c47121b62a5e512
// sum: 3 ac3780134332f465
// run: -k wide -g 1000 b:long:1000:rand,14 b:long:1000 long:37
// sum: 0 bdae56421d3bb41e
// sum: 1 cf2359a16b46b392
__kernel void product(__global const float *a, __global const float *b, __global float *c, int n) {
  int i = get_global_id(0);
  int row = i / n, col = i % n;
  float s = 0;
  for (int k = 0; k < n; k++)
    s += a[row % n * n + k] * b[k * n + col];
  c[row * n + col] = s;
}

__kernel void blur(__global const float *in, __global float *out, int w, int h) {
  int i = get_global_id(0);
  int x = i % w, y = i / w;
  float s = in[y * w + x];
  for (int dy = -1; dy <= 1; dy++)
    for (int dx = -1; dx <= 1; dx++)
      s += in[clamp(y + dy, 0, h - 1) * w + clamp(x + dx, 0, w - 1)] * (dx + 2);
  if (x > 0 && x < w - 1 && y > 0 && y < h - 1)
    s -= in[(y - 1) * w + x] + in[(y + 1) * w + x - 1];
  out[y * w + (w - 1 - x)] = s;
}

#define W 64
#define H 64
__kernel void life(__global const uchar *in, __global uchar *out) {
  int i = get_global_id(0);
  int x = i % W, y = i / W;
  int left = (x + W - 1) % W, right = (x + 1) % W, up = (y + H - 1) % H, down = (y + 1) % H;
  int n = in[up * W + left] + in[up * W + x] + in[up * W + right] + in[y * W + left] +
          in[y * W + right] + in[down * W + left] + in[down * W + x] + in[down * W + right];
  out[i] = n == 3 || (n == 2 && in[i]);
}

// Row lengths other than powers of two, and without a 32-bit reciprocal.
__kernel void torus(__global const uchar *in, __global uchar *out) {
  int i = get_global_id(0);
  uint u = i;
  int x = i % 74, y = i / 74;
  uint v = u % 37, w = u / 37;
  out[i] = in[(y + 19) % 20 * 74 + (x + 73) % 74] + in[(y + 1) % 20 * 74 + (x + 1) % 74] * 3 + in[(w + 1) % 40 * 37 + (v + 36) % 37];
}

// Constant divisors, which become multiplications.
__kernel void fixed(__global const uint *in, __global uint *out) {
  uint i = get_global_id(0);
  int s = get_global_id(0);
  uint x = i % 640, y = i / 640;
  out[i] = in[x] * 3 + in[y + 7] + in[s % 1000] + in[s / 321] * 5 + in[i & 255] * 7 + in[i >> 9] + in[(x + 1) % 640] +
           in[s / 64 % 70 + 9] * 11 + in[s / 4480 + s % 64 * 2];
}

__kernel void scaled(__global const int *a, __global const int *col, __global const int *row, __global int *out, int w, int pitch) {
  int i = get_global_id(0);
  int x = i % w, y = abs(i / w);
  out[y * abs(pitch) + x] = a[i] * col[x] + row[y];
}

__kernel void wide(__global const long *in, __global long *out, long w) {
  size_t i = get_global_id(0);
  long x = i % w, y = i / w;
  out[y * w + x] = in[x] - in[y] * 3;
}
