// Counts the solutions of the N-Queens problem below every pair of first rows.
//
// Each work-item searches its own tree with a stack in private memory, so the
// lanes are in different places of the loop at any moment. The sum of the
// output is the answer: 92 for 8 queens, 14200 for 12. Try
//
//	simtc run examples/nqueens.cl -k nqueens -g 144 b:uint:144 int:12
//
// run: -k nqueens -g 64 b:uint:64 int:8
// sum: 0 8b34e8aa534b4f05

struct row {
  uint columns, left, right; // squares under attack, one bit a column
  uint open;                 // squares still to try
};

__kernel void nqueens(__global uint *solutions, int n) {
  int i = get_global_id(0);
  uint board = (1u << n) - 1, found = 0;
  uint first = 1u << (i / n), second = 1u << (i % n);
  struct row stack[32];

  if (second & (first | first << 1 | first >> 1)) {
    solutions[i] = 0;
    return;
  }
  struct row *top = stack;
  top->columns = first | second;
  top->left = first << 2 | second << 1;
  top->right = first >> 2 | second >> 1;
  top->open = board & ~(top->columns | top->left | top->right);
  for (;;) {
    if (top->open == 0) {
      if (top == stack)
        break;
      top--;
      continue;
    }
    uint queen = top->open & (~top->open + 1);
    top->open ^= queen;
    uint columns = top->columns | queen;
    if (columns == board) {
      found++;
      continue;
    }
    uint left = (top->left | queen) << 1, right = (top->right | queen) >> 1;
    top++;
    top->columns = columns;
    top->left = left;
    top->right = right;
    top->open = board & ~(columns | left | right);
  }
  solutions[i] = found;
}
