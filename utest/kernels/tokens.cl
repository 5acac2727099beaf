// Counts the words, numbers and comments of a line and sums its numbers, by a machine of six
// states: in each, the next character determines the next state.
//
// run: -k tokens -g 160 b:uchar:160*61:str,x=12;rate=0x5f*y+7#all_of_it;;go_on(3,-4,99)/2_a9z.q=0x0;-1 b:uint4:160 int:61
// sum: 0 876e1e4f40b75c0d
// sum: 1 93b4299f166ab102
// run: -k tokens -g 100 b:uchar:100*40:rand,11,32,126 b:uint4:100 int:40
// sum: 0 4ba8a0bfd6b95647
// sum: 1 b4c424e5475761c2

enum state { BETWEEN, SIGN, ZERO, NUMBER, HEX, WORD, COMMENT };

bool digit(uchar c) { return c >= '0' && c <= '9'; }
bool letter(uchar c) { return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_'; }

__kernel void tokens(__global const uchar *text, __global uint4 *out, int length) {
  int id = get_global_id(0);
  __global const uchar *p = text + id * length;
  enum state st = BETWEEN;
  uint words = 0, numbers = 0, comments = 0, value = 0, total = 0;
  bool negative = false;
  for (int i = 0; i <= length; i++) {
    uchar c = i < length ? p[i] : (uchar)';';
    switch (st) {
    case BETWEEN:
      value = 0;
      negative = false;
      if (c == '-' || c == '+') {
        negative = c == '-';
        st = SIGN;
      } else if (c == '0') {
        st = ZERO;
      } else if (digit(c)) {
        value = c - '0';
        st = NUMBER;
      } else if (letter(c)) {
        words++;
        st = WORD;
      } else if (c == '#') {
        comments++;
        st = COMMENT;
      }
      break;
    case SIGN:
      value = c - '0';
      st = digit(c) ? NUMBER : BETWEEN;
      break;
    case ZERO:
      if (c == 'x') {
        st = HEX;
        break;
      }
      // falls through
    case NUMBER:
      if (digit(c)) {
        value = value * 10 + (c - '0');
        st = NUMBER;
        break;
      }
      numbers++;
      total += negative ? -value : value;
      st = letter(c) ? WORD : BETWEEN;
      break;
    case HEX:
      if (digit(c) || c >= 'a' && c <= 'f') {
        value = value * 16 + (digit(c) ? c - '0' : c - 'a' + 10);
        break;
      }
      numbers++;
      total ^= value;
      st = BETWEEN;
      break;
    case WORD:
      if (!letter(c) && !digit(c)) st = BETWEEN;
      break;
    default:
      if (c == ';') st = BETWEEN;
    }
  }
  out[id] = (uint4)(words, numbers, comments, total);
}
