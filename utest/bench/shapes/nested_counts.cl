// Nested loops whose trip counts are arguments: the inner one loads contiguously, the outer one scatters its result.
// run: -k nested_counts -g 50 b:float:50*35:rand,315,-1,1 b:float:7:rand,316,-1,1 b:float:50*5 int:5 int:7
// sum: 0 a2f893153211d144
// sum: 1 9dfd18012768425a
// sum: 2 51cedb366ceee4a4
// bench: -k nested_counts -g 4096 b:float:4096*512:rand,315,-1,1 b:float:16:rand,316,-1,1 b:float:4096*32 int:32 int:16
// sum: 0 1e5b80835c1e0292
// sum: 1 c4bd3937825f8f56
// sum: 2 b96e4675dab0bed0
__kernel void nested_counts(__global const float *in, __constant float *weights, __global float *out, int blocks, int length) {
  int i = get_global_id(0), n = get_global_size(0);
  for (int t = 0; t < blocks; t++) {
    float sum = 0.0f;
    for (int k = 0; k < length; k++)
      sum += weights[k] * in[(t * length + k) * n + i];
    out[i * blocks + t] = sum;
  }
}
