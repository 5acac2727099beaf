// Loops that search small private arrays for an element: queens with columns, sets of used numbers, overlapping ranges, and arrays of several types and start indices.
// run: -k searched_arrays -g 70 b:uint:70*16:rand,12 b:uint:70*9
// sum: 0 ac115954cac221f4
// sum: 1 9980f4eda7a77b03
int attacked(const char *q, int row, int col) {
  for (int i = 0; i < row; i++) {
    int d = q[i] - col;
    if (d == 0 || d == row - i || d == i - row)
      return 1;
  }
  return 0;
}
bool taken(const ushort *set, uint n, ushort x) {
  for (uint i = 0; i < n; i++)
    if (set[i] == x)
      return true;
  return false;
}
__kernel void searched_arrays(__global const uint *in, __global uint *out) {
  int g = get_global_id(0);
  uint h = 1;

  char q[8];
  int found = 0, row = 1;
  q[0] = (char)(in[g * 16] & 3);
  q[1] = -1;
  while (row > 0) {
    int c = q[row] + 1;
    while (c < 6 && attacked(q, row, c))
      c++;
    if (c == 6)
      row--;
    else {
      q[row] = (char)c;
      if (row == 5)
        found++;
      else
        q[++row] = -1;
    }
  }
  out[g * 9] = found;

  ushort set[16];
  uint n = 0;
  for (int i = 0; i < 16; i++) {
    ushort x = (ushort)(in[g * 16 + i] & 15);
    if (!taken(set, n, x))
      set[n++] = x;
    else
      h = h * 31 + x;
  }
  out[g * 9 + 1] = n;
  out[g * 9 + 2] = h;

  int low[9], high[9];
  for (int i = 0; i < 9; i++)
    low[i] = high[i] = 0;
  int kept = 0;
  for (int i = 0; i < 16; i++) {
    int a = (int)(in[g * 16 + i] >> 8 & 255), b = a + (int)(in[g * 16 + i] & 31);
    bool apart = true;
    for (int k = 1; k <= kept; k++)
      if (a <= high[k] && b >= low[k]) {
        apart = false;
        break;
      }
    if (apart && kept < 8) {
      kept++;
      low[kept] = a;
      high[kept] = b;
    }
  }
  out[g * 9 + 3] = kept;

  int tops[12], sum = 0;
  for (int i = 0; i < 12; i++)
    tops[i] = (int)in[g * 16 + i];
  for (int round = 0; round < 20; round++) {
    int limit = (int)(in[g * 16 + 12] >> round & 3) * 4, hit = 0;
    for (int i = 2; i < limit; i++)
      if (tops[i] < 0 && (tops[i] & 1)) {
        hit = round + 1;
        break;
      }
    sum += hit;
    tops[(round * 5 + 3) % 12] ^= (int)(in[g * 16 + 13] << round);
    tops[round % 11 + 1] += 77;
  }
  out[g * 9 + 4] = (uint)sum;

  uchar seen[16];
  uint order = 0;
  for (int i = 0; i < 16; i++)
    seen[i] = (uchar)(200 + i);
  for (int i = 0; i < 40; i++) {
    uchar x = (uchar)((in[g * 16 + (i & 15)] >> (i & 7)) & 0xFF);
    int any = 0;
    for (int k = 0; k < 16; k++)
      if ((seen[k] ^ x) < 3) {
        any = 1;
        break;
      }
    if (any)
      order = order * 3 + (uint)i;
    else
      seen[i & 15] = x;
  }
  uchar front[16];
  uint moved = 0;
  for (int i = 0; i < 16; i++)
    front[i] = (uchar)i;
  for (int i = 0; i < 32; i++) {
    uchar x = (uchar)((in[g * 16 + (i & 15)] >> (i & 16)) & 15);
    int at = 0;
    while (at < 16 && front[at] != x)
      at++;
    moved = moved * 17 + (uint)at;
    uchar first = front[0];
    front[0] = front[at & 15];
    front[at & 15] = first;
  }
  out[g * 9 + 8] = moved;

  out[g * 9 + 5] = order;
  out[g * 9 + 6] = seen[3];
  out[g * 9 + 7] = (uint)low[1] + (uint)high[2] * 7;
}
