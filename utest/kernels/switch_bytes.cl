// Switches over signed and unsigned bytes, for every value: negative cases, ranges, comparisons around them.
// run: -k switch_bytes -g 256 b:uchar:256 b:int:256
// sum: 1 08ac8c31f4f37079
// run: -k switch_shorts -g 512 b:int:512
// sum: 0 32f75aa99f85d85d
int word(char c) {
  switch (c) {
  case '>': return 1;
  case '<': return 2;
  case '+': return 3;
  case '-': return 4;
  case ',': return 5;
  case '.': return 6;
  case '[': return 7;
  case ']': return 8;
  }
  return 0;
}

int below(char c) {
  switch (c) {
  case -128: return 11;
  case -127: return 12;
  case -3: return 13;
  case -1: return 14;
  case 0: return 15;
  case 1: return 16;
  case 4 ... 7: return 17;
  case 127: return 18;
  default: return c < -100 ? 19 : c > 100 ? 20 : 21;
  }
}

int token(uchar c) {
  if (c < 9) return 30;
  if (c == ' ') return 31;
  if (c >= '0' && c <= '9') return 32;
  if ((char)c < 0) return 33;
  switch (c) {
  case '(': return 34;
  case ')': return 35;
  case '*': return 36;
  case '/': return 37;
  case '#': return 38;
  case 200: return 39;
  }
  return 40;
}

__kernel void switch_bytes(__global uchar *bytes, __global int *out) {
  int i = get_global_id(0);
  bytes[i] = i;
  uchar c = bytes[i];
  out[i] = word((char)c) + 100 * below((char)c) + 10000 * token(c);
}

int near(short s) {
  switch (s) {
  case -130: return 1;
  case -129: return 2;
  case -128: return 3;
  case -126: return 4;
  case 126: return 5;
  case 127: return 6;
  case 128: return 7;
  case 130: return 8;
  }
  return s < 0 ? 9 : 10;
}

__kernel void switch_shorts(__global int *out) {
  int i = get_global_id(0);
  out[i] = near((short)(i - 256));
}
