// A goto over a block into the join of another if.
// run: -k unstructured_branch1 -g 1000 b:int:1000:const,2 b:int:1000
// sum: 0 3a33091109cd5e25
// sum: 1 4a5bfdd3a6ae86a5
// run: -k unstructured_branch1 -g 1000 b:int:1000:const,-2 b:int:1000
// sum: 0 285d5fa8e17ccec5
// sum: 1 43fd5f54916e82f5
// run: -k unstructured_branch1 -g 1000 b:int:1000:index,1,-500 b:int:1000
// sum: 0 c389a0b78fa0b4bd
// sum: 1 a2ae6853472e5661
__kernel void unstructured_branch1(__global const int *src, __global int *dst) {
  int id = (int)get_global_id(0);
  dst[id] = src[id];
  if (dst[id] >= 0)
    goto tail;
  dst[id] = id + 7;
  if (dst[id] & 1)
    goto middle;
  dst[id] *= 3;
middle:
  dst[id] += 100;
tail:
  dst[id] += 2;
}
