__kernel void search(__global const uchar *text, __constant uchar *word, int n, __global int *where) {
  __global const uchar *s = text + get_global_id(0) * 256;
  int at = -1;
  for (int p = 0; p < 240; p++) {
    int k = 0;
    while (k < n && s[p + k] == word[k])
      k++;
    if (k == n) {
      at = p;
      break;
    }
  }
  where[get_global_id(0)] = at;
}
