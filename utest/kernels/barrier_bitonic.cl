// Bitonic sort of each group's numbers in local memory; a barrier in two loops.
// run: -k sort -g 512 -l 128 b:uint:512:rand,5
// sum: 0 ed770c9c23573dfd
__kernel void sort(__global uint *p) {
  __local uint t[128];
  uint l = get_local_id(0), n = get_local_size(0);
  t[l] = p[get_global_id(0)];
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint size = 2; size <= n; size *= 2) {
    for (uint step = size / 2; step > 0; step /= 2) {
      uint other = l ^ step;
      uint a = t[l], b = t[other];
      bool up = (l & size) == 0, low = l < other;
      barrier(CLK_LOCAL_MEM_FENCE);
      t[l] = (a < b) == (up == low) ? a : b;
      barrier(CLK_LOCAL_MEM_FENCE);
    }
  }
  p[get_global_id(0)] = t[l];
}
