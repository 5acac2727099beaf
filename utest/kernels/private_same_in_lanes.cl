// Private arrays with the same contents in all lanes, or almost: filled by all
// lanes with uniform values, read at uniform and at varying indices, under
// divergent control, after lanes have exited; and arrays that differ by one store.
// run: -k tables -g 100 b:int:100 b:int:100:rand,3 int:9
// sum: 0 c16b8d321c1c8120
// sum: 1 4d45f5c167ad11a3
// run: -k tables -g 37 b:int:37 b:int:37:rand,4 int:5
// sum: 0 1848a6ce8104f68e
// sum: 1 d9cccd41ae2e1cdd
// run: -k inside -g 100 b:int:100 b:int:100:rand,3 int:6
// sum: 0 345e8321e118860c
// sum: 1 4d45f5c167ad11a3
// run: -k spoiled -g 100 b:int:400 b:int:100:rand,5 int:6
// sum: 0 f65d1fe4be9c0026
// sum: 1 e2957b3eba815c1a
__kernel void tables(__global int *out, __global const int *in, int n) {
  int i = get_global_id(0);
  int table[16];
  char bytes[24];
  int x = in[i];
  if (x & 1)
    x >>= 1; // lane 0 may be in another iteration
  for (int j = 0; j < 16; j++)
    table[j] = j * n + (j ^ 5);
  for (int j = 0; j < 24; j++)
    bytes[j] = (char)(table[j & 15] + j);
  int sum = table[n & 15];
  if (x & 2) {
    sum += table[x & 15] + bytes[n];
    if (x & 4)
      sum ^= bytes[(x >> 3) & 15];
  }
  for (int j = 0; j < (x & 7); j++)
    sum += bytes[j] * table[j];
  out[i] = sum;
}

// Written in a loop that all lanes exit together, read in one with a divergent exit.
__kernel void inside(__global int *out, __global const int *in, int n) {
  int i = get_global_id(0);
  int last[4], x = in[i], sum = 0;
  last[0] = last[1] = last[2] = last[3] = n;
  for (int r = 0; r < n; r++) {
    last[r & 3] = last[(r + 1) & 3] * 3 + r;
    for (int j = 0; j < ((x >> r) & 7); j++) {
      if (((x >> j) & 3) == 3)
        break;
      sum = sum * 5 + last[j & 3];
    }
  }
  out[i] = sum;
}

// Arrays that only seem the same: written in some lanes only, in some iterations
// only, at varying indices, or through a pointer.
__kernel void spoiled(__global int *out, __global const int *in, int n) {
  int i = get_global_id(0);
  int a[4], b[4], c[4], d[4], x = in[i];
  for (int j = 0; j < 4; j++)
    a[j] = b[j] = c[j] = d[j] = j + n;
  if (x & 1)
    a[n & 3] = 7;
  for (int j = 0; j < n; j++) {
    b[j & 3] = j * 10;
    if (((x >> j) & 1) == 1)
      break;
  }
  c[x & 3] = 9;
  int *p = (x & 2) ? d : a;
  p[n & 1] = 11;
  out[4 * i] = a[n & 3] + a[n & 1];
  out[4 * i + 1] = b[(n + 1) & 3] * 100 + b[0];
  out[4 * i + 2] = c[n & 3];
  out[4 * i + 3] = d[n & 1];
}
