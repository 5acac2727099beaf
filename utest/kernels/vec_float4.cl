// float4 arithmetic in a loop with a divergent exit.
// run: -k vec_float4 -g 1000 b:float4:1000:rand,76,-4,4 b:float4:1000
// sum: 0 90a74ca5770e8f1d
// sum: 1 1f25660a6b0c7252
__kernel void vec_float4(__global const float4 *in, __global float4 *out) {
  int i = get_global_id(0);
  float4 v = in[i], acc = (float4)(0.0f, 1.0f, 2.0f, 3.0f);
  int n = 0;
  while (acc.x * acc.x + acc.y * acc.y < 400.0f && n < 30) {
    acc = acc * 1.25f + v.yzwx;
    acc.zw -= v.xy / 3.0f;
    n++;
  }
  acc.w = n;
  out[i] = acc;
}
