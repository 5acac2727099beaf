// Consecutive searches in each iteration of a loop, each of which continues with the result of the previous one.
// run: -k searches_after_searches -g 40 b:uchar:3000:rand,95,0,2 int:4 b:int:40
// sum: 0 08c015ac7513de1a
// sum: 2 c72f37e2ff35c905
__kernel void searches_after_searches(__global const uchar *text, int m, __global int *where) {
  int id = get_global_id(0), at = -1;
  __global const uchar *t = text + id * 70;
  for (int p = 0; p < 60; p++) {
    int x = t[p];
    int i = 0;
    while (i < m && t[p + i] == 0) {
      x = 0;
      i++;
    }
    int j = 0;
    while (j < m && t[p + j] == 0)
      j++;
    int k = 0;
    while (k != x && k < 6)
      k++;
    if (k == m) {
      at = p;
      break;
    }
  }
  where[id] = at;
}
