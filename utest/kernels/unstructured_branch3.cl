// Two predecessors for each of two blocks, one of them through a backward goto.
// run: -k unstructured_branch3 -g 1000 b:int:1000:const,2 b:int:1000
// sum: 0 3a33091109cd5e25
// sum: 1 4acfe412cc3cee95
// run: -k unstructured_branch3 -g 1000 b:int:1000:const,-2 b:int:1000
// sum: 0 285d5fa8e17ccec5
// sum: 1 b6df0360110723a5
// run: -k unstructured_branch3 -g 1000 b:int:1000:index,1,-500 b:int:1000
// sum: 0 c389a0b78fa0b4bd
// sum: 1 0219500511af21ab
__kernel void unstructured_branch3(__global const int *src, __global int *dst) {
  int id = (int)get_global_id(0);
  int visits = 0;
  dst[id] = src[id];
  if (src[id] >= 2)
    goto low;
high:
  dst[id] += 1;
  visits++;
  if (dst[id] > 3 || visits > 4)
    goto done;
low:
  dst[id] -= 10;
  visits += 2;
  if (dst[id] < -9)
    goto done;
  goto high;
done:
  dst[id] = dst[id] * 16 + visits;
}
