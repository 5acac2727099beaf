// Edit distance of words of up to 15 letters with a private row.
// run: -k levenshtein -g 200 b:char:3200:rand,230,97,100 b:char:3200:rand,231,97,100 b:int:200
// sum: 0 8d26d9a38225101d
// sum: 1 19063e087be6b943
// sum: 2 e92a03ab9fe1e607
__kernel void levenshtein(__global const char *a, __global const char *b, __global int *out) {
  int i = get_global_id(0);
  int n = 1 + i % 15, m = 1 + i * 7 % 15;
  __global const char *s = a + 16 * i, *t = b + 16 * i;
  uchar row[16];
  for (int k = 0; k <= m; k++)
    row[k] = (uchar)k;
  for (int r = 1; r <= n; r++) {
    int diagonal = row[0];
    row[0] = (uchar)r;
    for (int c = 1; c <= m; c++) {
      int cost = diagonal + (s[r - 1] != t[c - 1]);
      diagonal = row[c];
      int least = min(row[c - 1] + 1, row[c] + 1);
      row[c] = (uchar)min(least, cost);
    }
  }
  out[i] = row[m];
}
// bench: -k levenshtein -g 50000 b:char:800000:rand,230,97,100 b:char:800000:rand,231,97,100 b:int:50000
// sum: 0 92ee151f0772ddbb
// sum: 1 0d1b09edbfd733a5
// sum: 2 f70c2f53fec03a7a
