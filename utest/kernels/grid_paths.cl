// Paths over a 4x4 grid, found by backtracking: the value of a cell is the same for all of its neighbors.
// run: -k grid_paths -g 300 b:ushort:300:rand,331,0,65535 b:uint:300 b:uint:300 int:7
// sum: 0 578f59f062d7576d
// sum: 1 4abfa44c0b9e5565
// sum: 2 785bc6bfa151a9d7
__kernel void grid_paths(__global const ushort *walls, __global uint *paths, __global uint *ends, int length) {
  int i = get_global_id(0);
  ushort taken = walls[i];
  uchar cell[16], way[16];
  uint found = 0, sum = 0;
  int depth = 0;
  cell[0] = i & 15;
  way[0] = 0;
  taken |= 1 << (i & 15);
  while (depth >= 0) {
    if (depth == length) {
      found++;
      sum += cell[depth] * (uint)depth;
      taken &= ~(1 << cell[depth--]);
      continue;
    }
    if (way[depth] == 4) {
      taken &= ~(1 << cell[depth--]);
      continue;
    }
    int w = way[depth]++;
    int x = cell[depth] % 4 + (w == 0) - (w == 1), y = cell[depth] / 4 + (w == 2) - (w == 3);
    if (x < 0 || x > 3 || y < 0 || y > 3)
      continue;
    int next = 4 * y + x;
    if (taken >> next & 1)
      continue;
    taken |= 1 << next;
    cell[++depth] = next;
    way[depth] = 0;
  }
  paths[i] = found;
  ends[i] = sum;
}
