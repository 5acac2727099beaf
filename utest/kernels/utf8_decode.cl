// Decodes UTF-8 from each lane's bytes, counting characters and errors.
// run: -k utf8_decode -g 300 b:uchar:1300:rand,240 b:uint:900
// sum: 0 0d0fe10f43593348
// sum: 1 af4ddaa141b84bec
__kernel void utf8_decode(__global const uchar *text, __global uint *out) {
  int i = get_global_id(0);
  __global const uchar *s = text + 4 * i;
  int n = 24, at = 0;
  uint chars = 0, errors = 0, sum = 0;
  while (at < n) {
    uint c = s[at++];
    int more;
    if (c < 0x80)
      more = 0;
    else if ((c & 0xe0) == 0xc0) {
      more = 1;
      c &= 0x1f;
    } else if ((c & 0xf0) == 0xe0) {
      more = 2;
      c &= 0x0f;
    } else if ((c & 0xf8) == 0xf0) {
      more = 3;
      c &= 7;
    } else {
      errors++;
      continue;
    }
    while (more-- > 0) {
      if (at == n || (s[at] & 0xc0) != 0x80) {
        errors++;
        goto next;
      }
      c = c << 6 | (s[at++] & 0x3f);
    }
    chars++;
    sum = sum * 31 + c;
  next:;
  }
  out[3 * i] = chars;
  out[3 * i + 1] = errors;
  out[3 * i + 2] = sum;
}
// bench: -k utf8_decode -g 50000 b:uchar:200100:rand,240 b:uint:150000
// sum: 0 909dcbb35ac2ae2a
// sum: 1 006f0762cea296d6
