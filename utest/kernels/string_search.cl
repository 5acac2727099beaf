// First occurrence of a pattern in each lane's section of a byte text.
// run: -k string_search -g 500 b:char:4200:str,abracadabra-abrabracada_ b:char:4:str,brac int:4 b:int:500
// sum: 0 d4909f6a5bd8a115
// sum: 1 3d1a129c05e1630d
// sum: 3 751329ddba0afe3c
// run: -k string_search -g 17 b:char:4200:rand,203,97,99 b:char:3:str,abc int:3 b:int:17
// sum: 0 40c245c85c226b84
// sum: 1 e71fa2190541574b
// sum: 3 06d1abcef2bd5356
__kernel void string_search(__global const char *text, __constant char *pattern, int m, __global int *where) {
  int i = get_global_id(0);
  __global const char *s = text + i * 8;
  int at = -1;
  for (int p = 0; p + m <= 200; p++) {
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
