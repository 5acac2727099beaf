// Flags that end loops, as in textbook searches: a square for each rook that attacks no other, the first
// number that no other of its group divides, and whether all characters are in order.
// run: -k flagged_search -g 37,5 b:uchar:200:rand,77,2,97 b:int:37*5*3 int:7
// sum: 1 5fe4459dcfc8da8e
static int rooks(int first, int size) {
  int at[9], row = 1, ways = 0;
  at[0] = first % size;
  at[1] = -1;
  while (row > 0) {
    at[row]++;
    if (at[row] >= size || ways > 5) {
      row--;
      continue;
    }
    int safe = 1;
    for (int k = 0; k < row && safe; k++) {
      int apart = at[row] - at[k];
      if (apart == 0 || apart == 1 || apart + k == row + 2) safe = 0;
    }
    if (!safe) continue;
    if (row == size - 1)
      ways++;
    else
      at[++row] = -1;
  }
  return ways;
}
__kernel void flagged_search(__global const uchar *numbers, __global int *out, int size) {
  int i = get_global_id(0), j = get_global_id(1), id = j * get_global_size(0) + i;
  bool found = false;
  int place = -1;
  for (int k = 0; k < 20 && !found; k++) {
    bool prime = true;
    uchar x = numbers[i * 4 + k + j];
    for (int d = 2; d < x && prime; d++)
      if (x % d == 0) prime = false;
    if (prime) {
      found = true;
      place = k;
    }
  }
  int ordered = 1, n = 0;
  do {
    if (numbers[i + n] > numbers[i + n + j + 1]) ordered = 0;
    n++;
  } while (ordered && n < 30);
  out[3 * id] = rooks(i + j, size - j);
  out[3 * id + 1] = found ? place : -2;
  out[3 * id + 2] = ordered ? -n : n;
}
