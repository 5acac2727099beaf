// Solutions of the N-Queens problem below each pair of first rows, by backtracking with a private stack.
// run: -k nqueens -g 49 b:uint:49 int:7
// sum: 0 6b7374f4b3cdb455
// run: -k nqueens -g 64 b:uint:64 int:8
// sum: 0 bf144b583e486145
// bench: -k nqueens -g 169 b:uint:169 int:13
// sum: 0 ac8412650feff41d
__kernel void nqueens(__global uint *count, int n) {
  int i = get_global_id(0);
  uint all = (1u << n) - 1;
  uint cols[16], left[16], right[16], open[16];
  uint first = 1u << (i % n), second = 1u << (i / n);
  uint found = 0;
  if ((second & (first | first << 1 | first >> 1)) == 0) {
    int top = 0;
    cols[0] = first | second;
    left[0] = (first << 2 | second << 1) & all;
    right[0] = first >> 2 | second >> 1;
    open[0] = all & ~(cols[0] | left[0] | right[0]);
    while (top >= 0) {
      uint free = open[top];
      if (free == 0) {
        top--;
        continue;
      }
      uint bit = free & (0u - free);
      open[top] = free ^ bit;
      if (top + 3 == n) {
        found++;
        continue;
      }
      cols[top + 1] = cols[top] | bit;
      left[top + 1] = (left[top] | bit) << 1 & all;
      right[top + 1] = (right[top] | bit) >> 1;
      top++;
      open[top] = all & ~(cols[top] | left[top] | right[top]);
    }
  }
  count[i] = found;
}
