// The first occurrence of a word in each line, ignoring case; a line ends early at a mark before an odd byte.
// run: -k nocase_search -g 500 b:uchar:500*40:rand,341,58,122 b:uchar:3:str,Abc int:2 int:40 b:int:500
// sum: 0 8e54559d94edd544
// sum: 1 f9c2c219a0173aab
// sum: 4 49e07a56839203c4
static uchar small(uchar c) { return c >= 'A' && c <= 'Z' ? c + 32 : c; }
static bool here(__global const uchar *text, __global const uchar *word, int length) {
  for (int k = 0; k < length; k++)
    if (small(text[k]) != small(word[k]))
      return false;
  return true;
}
__kernel void nocase_search(__global const uchar *lines, __global const uchar *word, int length, int size, __global int *first) {
  int i = get_global_id(0);
  __global const uchar *line = lines + i * size;
  int found = -size;
  for (int k = 0; k + length <= size; k++) {
    uchar c = line[k];
    if (c == ':' && line[k + 1] & 1) {
      found = -k;
      break;
    }
    if (here(line + k, word, length)) {
      found = k;
      break;
    }
  }
  first[i] = found;
}
