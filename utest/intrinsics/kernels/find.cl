// The positions of a word in a text; by hand 64 positions at once.
// run: -k find -g 2097152 b:uchar:2097160:rand,9,97,100 b:uchar:8:str,abcdabcd int:8 b:uchar:2097152
__kernel void find(__global const uchar *text, __constant uchar *word, int m, __global uchar *hit) {
  size_t i = get_global_id(0);
  int j = 0;
  while (j < m && text[i + j] == word[j])
    j++;
  hit[i] = j == m;
}
