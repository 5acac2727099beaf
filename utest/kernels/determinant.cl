// Determinants of 4x4 matrices by elimination with pivoting, and by cofactors for integers.
// run: -k determinant -g 200 b:float:3200:rand,226,-2,2 b:float:200 b:int:3200:rand,227,-9,9 b:int:200
// sum: 0 1bd21318a0881dfb
// sum: 1 5de6352b074f87aa
// sum: 2 37518f8660ebbb36
// sum: 3 13ab210de5f94e7c
int minor3(__global const int *m, int a, int b, int c) {
  return m[4 + a] * (m[8 + b] * m[12 + c] - m[8 + c] * m[12 + b]) - m[4 + b] * (m[8 + a] * m[12 + c] - m[8 + c] * m[12 + a]) +
         m[4 + c] * (m[8 + a] * m[12 + b] - m[8 + b] * m[12 + a]);
}
__kernel void determinant(__global const float *in, __global float *out, __global const int *iin, __global int *iout) {
  int i = get_global_id(0);
  float m[4][4];
  for (int r = 0; r < 4; r++)
    for (int c = 0; c < 4; c++)
      m[r][c] = in[16 * i + 4 * r + c];
  float det = 1.0f;
  for (int k = 0; k < 4; k++) {
    int pivot = k;
    for (int r = k + 1; r < 4; r++)
      if (fabs(m[r][k]) > fabs(m[pivot][k]))
        pivot = r;
    if (m[pivot][k] == 0.0f) {
      det = 0.0f;
      break;
    }
    if (pivot != k) {
      for (int c = 0; c < 4; c++) {
        float t = m[k][c];
        m[k][c] = m[pivot][c];
        m[pivot][c] = t;
      }
      det = -det;
    }
    det *= m[k][k];
    for (int r = k + 1; r < 4; r++) {
      float f = m[r][k] / m[k][k];
      for (int c = k; c < 4; c++)
        m[r][c] -= f * m[k][c];
    }
  }
  out[i] = det;
  __global const int *n = iin + 16 * i;
  iout[i] = n[0] * minor3(n, 1, 2, 3) - n[1] * minor3(n, 0, 2, 3) + n[2] * minor3(n, 0, 1, 3) - n[3] * minor3(n, 0, 1, 2);
}
// bench: -k determinant -g 100000 b:float:1600000:rand,226,-2,2 b:float:100000 b:int:1600000:rand,227,-9,9 b:int:100000
// sum: 0 e2e4b2ebfaaf80b0
// sum: 1 c6c89970edce461f
// sum: 2 c58c2e4840da2138
// sum: 3 c18d4bd2c57d8037
