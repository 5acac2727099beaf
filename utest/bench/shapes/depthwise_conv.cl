// A depthwise 3x3 convolution with zero padding: channels are dimension 2, and each has its weights.
// run: -k depthwise_conv -g 19,9,3 b:float:19*9*3:rand,317,-1,1 b:float:27:rand,318,-1,1 b:float:19*9*3
// sum: 0 b50911c1622398eb
// sum: 1 4a240feecb75bb13
// sum: 2 a02d9f4b7eb74c15
// bench: -k depthwise_conv -g 112,112,64 b:float:112*112*64:rand,317,-1,1 b:float:9*64:rand,318,-1,1 b:float:112*112*64
// sum: 0 c2af6799eedf3cf9
// sum: 1 b2a51f7cd6dabf5a
// sum: 2 45f9a87e0d01086f
__kernel void depthwise_conv(__global const float *in, __global const float *weights, __global float *out) {
  int x = get_global_id(0), y = get_global_id(1), c = get_global_id(2), w = get_global_size(0), h = get_global_size(1);
  float sum = 0.0f;
  for (int ky = 0; ky < 3; ky++)
    for (int kx = 0; kx < 3; kx++) {
      int sx = x + kx - 1, sy = y + ky - 1;
      if (sx >= 0 && sx < w && sy >= 0 && sy < h)
        sum += in[(c * h + sy) * w + sx] * weights[c * 9 + ky * 3 + kx];
    }
  out[(c * h + y) * w + x] = sum;
}
