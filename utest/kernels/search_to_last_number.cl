// Searches whose counters end close to the largest number of their type: counters of lanes after the last
// iteration wrap, and must not run again from the lowest numbers.
// run: -k search_to_last_number -g 200 b:uint:200:rand,7,0,70 b:uint:64:rand,8,0,99 b:int:200 b:uint:200 b:uint:200
// sum: 0 20f1219cbf2ae995
// sum: 1 29c8c2d892c9c651
// sum: 2 6e73c47985e1e6d6
// sum: 3 ccd0a7ee52085d8b
// sum: 4 43ce8d1e02e715b8
// run: -k search_to_last_number -g 37 b:uint:37:rand,9,0,20 b:uint:64:rand,10,0,9 b:int:37 b:uint:37 b:uint:37
// sum: 0 dc41b0410a9086fa
// sum: 1 8c8a991a20323cef
// sum: 2 b171bf5d535f5aab
// sum: 3 f99ef9472265ba86
// sum: 4 f7d0db9e249aca9d
__kernel void search_to_last_number(__global const uint *from, __global const uint *table, __global int *a, __global uint *b, __global uint *c) {
  int i = get_global_id(0);
  uint back = from[i];
  int x = -1;
  for (int p = 2147483647 - (int)back; p < 2147483647 - (i & 3); p++)
    if (table[p & 63] == (uint)(i & 63)) {
      x = p;
      break;
    }
  a[i] = x;
  uint y = 0;
  for (uint p = 4294967295u - back; p < 4294967295u; p++)
    if (table[p & 63] == (uint)(i & 31)) {
      y = p;
      break;
    }
  b[i] = y;
  uint z = 0;
  for (uchar p = 255 - (back & 127); p < 255; p++)
    if (table[p & 63] == (uint)(i & 31)) {
      z = p;
      break;
    }
  c[i] = z;
}
