// Layer normalization, one work-group per row: mean and variance by reductions in local memory, then scale and shift.
// run: -k layer_norm -g 96 -l 32 b:float:3*100:rand,332,-2,3 b:float:100:rand,333,-1,1 b:float:100:rand,334,-1,1 b:float:3*100 local:128 int:100
// sum: 0 674e2240f35b3795
// sum: 1 4c090e6c67bfaf45
// sum: 2 4845c109f5950f49
// sum: 3 afba8d6cd15ba936
// bench: -k layer_norm -g 65536 -l 128 b:float:512*768:rand,332,-2,3 b:float:768:rand,333,-1,1 b:float:768:rand,334,-1,1 b:float:512*768 local:512 int:768
// sum: 0 1d19d56899f0b75e
// sum: 1 95095acb6d43cbd1
// sum: 2 81b97cfd4020bc66
// sum: 3 216da051fef11ac0
float sum_of_group(__local float *part, float x) {
  int l = get_local_id(0);
  part[l] = x;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int s = get_local_size(0) / 2; s > 0; s /= 2) {
    if (l < s)
      part[l] += part[l + s];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  float sum = part[0];
  barrier(CLK_LOCAL_MEM_FENCE);
  return sum;
}
__kernel void layer_norm(__global const float *in, __global const float *scale, __global const float *shift, __global float *out, __local float *part, int n) {
  int l = get_local_id(0), size = get_local_size(0), base = get_group_id(0) * n;
  float sum = 0.0f;
  for (int i = l; i < n; i += size)
    sum += in[base + i];
  float mean = sum_of_group(part, sum) / n;
  float squares = 0.0f;
  for (int i = l; i < n; i += size) {
    float d = in[base + i] - mean;
    squares += d * d;
  }
  float factor = 1.0f / sqrt(sum_of_group(part, squares) / n + 1e-5f);
  for (int i = l; i < n; i += size)
    out[base + i] = (in[base + i] - mean) * factor * scale[i] + shift[i];
}
