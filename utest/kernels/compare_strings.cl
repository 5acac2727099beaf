// Strings compared character by character; the length of the common prefix is used afterwards.
// run: -k compare_strings -g 300 b:uchar:700:rand,601,97,98 b:uchar:6:str,ababba int:5 b:uint:300
// sum: 1 32d77f519c44c290
// sum: 3 8b2e0ed37ef665dc
// run: -k compare_strings -g 37 b:uchar:700:rand,602,97,97 b:uchar:6:str,aaaaab int:6 b:uint:37
// sum: 1 d922de4187065cbe
// sum: 3 f51e7ce3e90252bc
// run: -k compare_strings -g 50 b:uchar:700:rand,603,97,98 b:uchar:1:str,b int:0 b:uint:50
// sum: 1 af63df4c8601f1a5
// sum: 3 6a56b0a5b4ee65b5
int prefix(__global const uchar *s, __global const uchar *p, int m) {
  int j = 0;
  while (j < m && s[j] == p[j])
    j++;
  return j;
}

__kernel void compare_strings(__global const uchar *text, __global const uchar *pattern, int m, __global uint *out) {
  int i = get_global_id(0);
  __global const uchar *s = text + 2 * i;
  uint r = prefix(s, pattern, m) == m;
  r |= (prefix(s + 1, pattern, m) < m) << 1;
  // Two conditions on one number.
  int j = prefix(s + 2, pattern, m);
  r |= (m != j) << 2 | (m <= j) << 3;
  // The number itself is used too.
  int k = prefix(s + 3, pattern, m);
  r |= (k == m) << 4 | k << 8;
  // Some operands of the comparisons do not come from the end of the loop.
  int at = 0;
  for (; at < m; at++)
    if (s[at] != pattern[at] && at > 1) {
      at = 3;
      break;
    }
  r |= (at == m) << 5;
  // Every lane has its own limit.
  int n = min(m, i % 7), l = 0;
  for (; l < n; l++)
    if (s[l + 4] != pattern[l])
      break;
  r |= (l >= n) << 6 | (l == m) << 7;
  out[i] = r;
}
