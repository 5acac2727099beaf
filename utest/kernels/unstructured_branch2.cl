// Jumps between the straight blocks of two ifs, forward only.
// run: -k unstructured_branch2 -g 1000 b:int:1000:const,12 b:int:1000
// sum: 0 df7ab77ad58250a5
// sum: 1 e228b6812f4d00cc
// run: -k unstructured_branch2 -g 1000 b:int:1000:const,-12 b:int:1000
// sum: 0 25196a1df4587945
// sum: 1 019a0589bcb5ff25
// run: -k unstructured_branch2 -g 1000 b:int:1000:index,1,-500 b:int:1000
// sum: 0 c389a0b78fa0b4bd
// sum: 1 bd39858cc3b1d676
__kernel void unstructured_branch2(__global const int *src, __global int *dst) {
  int id = (int)get_global_id(0);
  dst[id] = src[id];
  if (dst[id] < 0)
    goto second;
  dst[id] = id + 1;
  if (src[id] > 10)
    goto third;
  dst[id] += 20;
second:
  dst[id] -= 5;
  if (src[id] < -10)
    goto last;
third:
  dst[id] ^= 0x55;
last:
  dst[id] += 2;
}
