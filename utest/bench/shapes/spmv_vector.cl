// Sparse matrix times vector with 32 work-items per compressed row of 0 to 128 entries, summed in local memory.
// run: -k spmv_vector -g 320 -l 64 b:uint:10:rand,328,0,128 b:uint:10*128:rand,329,0,99 b:float:10*128:rand,330,-1,1 b:float:100:rand,331,-1,1 b:float:10 local:256
// sum: 0 9e9c0e323f812cb7
// sum: 1 b43cb82de9e92a87
// sum: 2 28f0efe1a1bb526f
// sum: 3 cd925b8a8505d778
// sum: 4 b779f7a3b74d6d44
// bench: -k spmv_vector -g 262144 -l 128 b:uint:8192:rand,328,0,128 b:uint:8192*128:rand,329,0,8191 b:float:8192*128:rand,330,-1,1 b:float:8192:rand,331,-1,1 b:float:8192 local:512
// sum: 0 9230145cb809cfb1
// sum: 1 94f2f3a7ed913c5c
// sum: 2 af5b05919f20f60d
// sum: 3 1c64e2a46dac207e
// sum: 4 6576488f15348b6d
__kernel void spmv_vector(__global const uint *lengths, __global const uint *columns, __global const float *values, __global const float *x, __global float *y, __local float *part) {
  uint l = get_local_id(0), lane = l % 32, row = get_global_id(0) / 32;
  uint begin = row * 128, end = begin + lengths[row];
  float sum = 0.0f;
  for (uint k = begin + lane; k < end; k += 32)
    sum += values[k] * x[columns[k]];
  part[l] = sum;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint s = 16; s > 0; s /= 2) {
    if (lane < s)
      part[l] += part[l + s];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (lane == 0)
    y[row] = part[l];
}
