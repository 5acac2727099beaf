// Hashes computed byte by byte: rolling (Rabin-Karp), with factors close to powers of two, and with one that is not close to any.
// run: -k rolling_hash -g 100 b:uchar:400:rand,93,0,3 b:ulong:500
// sum: 0 9444481c272c3869
// sum: 1 516f2b61462c5abb
// run: -k rolling_hash -g 17 b:uchar:400:rand,94 b:ulong:85
// sum: 0 a9e1b5727d0362dd
// sum: 1 ae116a719d422fd1
__kernel void rolling_hash(__global const uchar *text, __global ulong *out) {
  int id = get_global_id(0);
  __global const uchar *t = text + id * 2;
  uint h = 0, top = 1, found = 0, first = 0;
  for (int i = 0; i < 7; i++) {
    h = h * 257u + t[i];
    if (i) top *= 257u;
  }
  first = h;
  for (int i = 7; i < 150; i++) {
    h = (h - t[i - 7] * top) * 257u + t[i];
    if (h == first || (h & 31) == 5) found += i;
  }
  uint djb = 5381;
  uint java = 0;
  ulong far = 14695981039346656037ul, plus = 7;
  for (int i = 0; i < 60; i++) {
    djb = djb * 33 + t[i];
    java = java * 31 + (uint)(char)t[i];
    far = (far ^ t[i]) * 1099511628211ul;
    plus = (plus + t[i]) * 1000003ul + t[i + 1];
  }
  out[5 * id] = found;
  out[5 * id + 1] = djb;
  out[5 * id + 2] = java;
  out[5 * id + 3] = far;
  out[5 * id + 4] = plus;
}
