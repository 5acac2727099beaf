// Tree reduction in local memory passed as an argument; halving strides.
// run: -k reduce -g 256 -l 64 b:int:256:rand,1 b:int:4 local:256
// sum: 0 8a97c0ce8966334c
// sum: 1 7db06694cef6352d
// run: -k reduce -g 96,2 -l 32,2 b:int:192:rand,7 b:int:3 local:256
// sum: 0 fc2a83ca1a8ec842
// sum: 1 6b4845c642e2b071
__kernel void reduce(__global const int *in, __global int *out, __local int *tmp) {
  int l = (get_local_id(1) * get_local_size(0) + get_local_id(0)), n = get_local_size(0) * get_local_size(1);
  tmp[l] = in[get_global_id(1) * get_global_size(0) + get_global_id(0)];
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int s = n / 2; s > 0; s >>= 1) {
    if (l < s) tmp[l] += tmp[l + s];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (l == 0) out[get_group_id(0)] = tmp[0];
}
