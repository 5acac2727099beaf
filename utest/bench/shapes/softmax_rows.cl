// Softmax of rows, one work-group per row: maximum and sum by tree reductions in local memory.
// run: -k softmax_rows -g 96 -l 32 b:float:3*100:rand,325,-4,4 b:float:3*100 local:128 int:100
// sum: 0 f2771ecfc9432167
// sum: 1 566e9ee62c25da86 the driver's exp differs in the last bits
// bench: -k softmax_rows -g 65536 -l 128 b:float:512*1000:rand,325,-4,4 b:float:512*1000 local:512 int:1000
// sum: 0 83106dee8f3b2114
// sum: 1 3f7b8478fa663af4 the driver's exp differs in the last bits
__kernel void softmax_rows(__global const float *in, __global float *out, __local float *part, int n) {
  int l = get_local_id(0), size = get_local_size(0);
  __global const float *row = in + get_group_id(0) * n;
  float top = -INFINITY;
  for (int i = l; i < n; i += size)
    top = fmax(top, row[i]);
  part[l] = top;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int s = size / 2; s > 0; s /= 2) {
    if (l < s)
      part[l] = fmax(part[l], part[l + s]);
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  top = part[0];
  barrier(CLK_LOCAL_MEM_FENCE);
  float sum = 0.0f;
  for (int i = l; i < n; i += size)
    sum += exp(row[i] - top);
  part[l] = sum;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int s = size / 2; s > 0; s /= 2) {
    if (l < s)
      part[l] += part[l + s];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  float scale = 1.0f / part[0];
  for (int i = l; i < n; i += size)
    out[get_group_id(0) * n + i] = exp(row[i] - top) * scale;
}
