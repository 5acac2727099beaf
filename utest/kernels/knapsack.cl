// A small knapsack by exhaustive depth-first search with an explicit stack of bytes.
// run: -k knapsack -g 100 b:uint:100:rand,239 b:uint:100
// sum: 0 0eaa4d1a1fe470b4
// sum: 1 8aadf293bc719ea8
__kernel void knapsack(__global const uint *in, __global uint *best) {
  uint i = get_global_id(0), v = in[i];
  uchar weight[8], worth[8], taken[8];
  for (int k = 0; k < 8; k++) {
    weight[k] = 1 + ((v >> k) & 15);
    worth[k] = 1 + ((v >> (k + 9)) & 31);
    taken[k] = 0;
  }
  uint room = 30, value = 0, top = 0;
  int depth = 0;
  for (;;) {
    if (depth == 8 || (taken[depth] == 0 && weight[depth] > room)) {
      if (depth < 8) {
        taken[depth] = 2;
        depth++;
        if (depth < 8)
          continue;
      }
      if (value > top)
        top = value;
      do {
        depth--;
        if (depth < 0)
          goto done;
        if (taken[depth] == 1) {
          room += weight[depth];
          value -= worth[depth];
          taken[depth] = 2;
          break;
        }
        taken[depth] = 0;
      } while (1);
      depth++;
      continue;
    }
    if (taken[depth] == 0) {
      taken[depth] = 1;
      room -= weight[depth];
      value += worth[depth];
    }
    depth++;
  }
done:
  best[i] = top;
}
// bench: -k knapsack -g 2000 b:uint:2000:rand,239 b:uint:2000
// sum: 0 fe40bdfafd216d12
// sum: 1 89ec934fb18baf16
