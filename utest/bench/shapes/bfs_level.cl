// One level of a breadth-first search: vertices of the frontier mark their unvisited neighbors.
// run: -k bfs_level -g 100 b:int:100:rand,319,-1,3 b:int:100:rand,320,0,8 b:int:800:rand,321,0,99 b:int:100 int:3
// sum: 0 9d414e40ef85ce10
// sum: 1 1312f9caeb118b8a
// sum: 2 5da528c6ea95feb6
// sum: 3 70f9ff4eded9e821
// bench: -k bfs_level -g 524288 b:int:524288:rand,319,-1,3 b:int:524288:rand,320,0,8 b:int:524288*8:rand,321,0,524287 b:int:524288 int:3
// sum: 0 4c87c17dd2249517
// sum: 1 7dc1015c3172c91f
// sum: 2 fcdebb12c5acd8e9
// sum: 3 92bb6fa315bcd265
__kernel void bfs_level(__global const int *level, __global const int *degree, __global const int *neighbors, __global int *next, int depth) {
  int v = get_global_id(0);
  if (level[v] != depth)
    return;
  for (int e = v * 8, end = e + degree[v]; e < end; e++) {
    int u = neighbors[e];
    if (level[u] < 0)
      next[u] = depth + 1;
  }
}
