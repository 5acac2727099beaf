// Private arrays of two and three dimensions, and pointers to their rows.
// run: -k private_2d -g 1000 b:int:1000:rand,64,0,999 b:int:1000
// sum: 0 d2f15404fc720a39
// sum: 1 41ecda6e5724835a
__kernel void private_2d(__global const int *in, __global int *out) {
  int i = get_global_id(0);
  int m[4][4], n[2][2][3];
  for (int r = 0; r < 4; r++)
    for (int c = 0; c < 4; c++)
      m[r][c] = (in[i] * (r + 1) + c * 7) % 31;
  for (int r = 0; r < 4; r++)
    for (int c = r + 1; c < 4; c++) {
      int t = m[r][c];
      m[r][c] = m[c][r];
      m[c][r] = t;
    }
  for (int a = 0; a < 2; a++)
    for (int b = 0; b < 2; b++)
      for (int c = 0; c < 3; c++)
        n[a][b][c] = m[a + b][c] - m[c][a];
  int *row = m[in[i] & 3];
  int(*plane)[3] = n[in[i] % 2];
  int s = 0;
  for (int c = 0; c < 4; c++)
    s = s * 5 % 10007 + row[c];
  for (int b = 0; b < 2; b++)
    for (int c = 0; c < 3; c++)
      s += plane[b][c] * (b + 2 * c + 1);
  out[i] = s + (int)(sizeof(m) / sizeof(m[0]) + sizeof n);
}
