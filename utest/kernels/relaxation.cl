// One iteration of shortest paths, each vertex from its neighbors, and sums of products at 16-bit indices.
// run: -k relaxation -g 300 b:uint:300:rand,610,0,26 b:int:5000:rand,611,0,299 b:short:5000:rand,612,-9,1000 b:ushort:5000:rand,613,0,299 b:int:300:rand,614,0,100000 b:int:300 b:long:300
// sum: 0 5b5aaa4737fbfa9a
// sum: 1 6c05294791bf9aeb
// sum: 2 4fbf188de76b44c0
// sum: 3 1fb6a45bddae57f9
// sum: 4 861cc3d5e5d5cb51
// sum: 5 f90a1649dff89da1
// sum: 6 b07406693fdc2c77
__kernel void relaxation(__global const uint *degree, __global const int *to, __global const short *weight, __global const ushort *near, __global const int *distance, __global int *shortest, __global long *moment) {
  int v = get_global_id(0);
  int begin = v * 14, end = begin + degree[v];
  int best = distance[v];
  for (int e = begin; e < end; e++)
    best = min(best, distance[to[e]] + weight[e]);
  long sum = 0;
  for (int e = begin; e < end; e++)
    sum += (long)weight[e] * distance[near[e]];
  shortest[v] = best;
  moment[v] = sum;
}
