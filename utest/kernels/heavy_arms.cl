// Heavy arms without loops that few work-items take: worth a bypass.
// run: -k heavy_arms -g 4096 b:float:4096:rand,71 b:float:4096
// sum: 0 4729f8a585b1a781
// sum: 1 5e31f4f4d26c234a
__kernel void heavy_arms(__global const float *in, __global float *out) {
  int i = get_global_id(0);
  float x = in[i], y = x;
  if (x > 0.999f) {
    y = sqrt(x) / (x + 1.0f);
    y = sqrt(y + 2.0f) / (y + 3.0f);
    y = sqrt(y + 4.0f) / (y + 5.0f);
    y = sqrt(y + 6.0f) / (y + 7.0f);
    y = sqrt(y + 8.0f) / (y + 9.0f);
  }
  if (x < 0.001f) {
    uint u = as_uint(x);
    u = u / 7 + u % 13;
    u = u / (u % 19 + 1) + u % 11;
    y = (float)u;
  }
  out[i] = y;
}
// bench: -k heavy_arms -g 2000000 b:float:2000000:rand,71 b:float:2000000
// sum: 0 96f4bfd7079be883
// sum: 1 687fa70faaed44d2
