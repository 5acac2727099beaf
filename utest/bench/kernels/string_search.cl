// First occurrence of a pattern in each work-item's section of a text: byte loads and early exits from two loops.
// run: -k string_search -g 32768 b:uchar:2097664:rand,203,97,100 b:uchar:6:str,abcabd int:6 b:int:32768
// sum: 0 091352276daae7af
// sum: 1 acc61b3fa5a40fb0
// sum: 3 3ab8969f484de22c
__kernel void string_search(__global const uchar *text, __constant uchar *pattern, int m, __global int *where) {
  int i = get_global_id(0);
  __global const uchar *s = text + i * 64;
  int at = -1;
  for (int p = 0; p < 500; p++) {
    int k = 0;
    while (k < m && s[p + k] == pattern[k])
      k++;
    if (k == m) {
      at = p;
      break;
    }
  }
  where[i] = at;
}
