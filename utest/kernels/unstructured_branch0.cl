// A goto into the body of a do-while.
// run: -k unstructured_branch0 -g 1000 b:int:1000:const,2 b:int:1000
// sum: 0 3a33091109cd5e25
// sum: 1 f65d2ea9312601cd
// run: -k unstructured_branch0 -g 1000 b:int:1000:const,-2 b:int:1000
// sum: 0 285d5fa8e17ccec5
// sum: 1 7737694bf73cd1a8
// run: -k unstructured_branch0 -g 1000 b:int:1000:index,1,-500 b:int:1000
// sum: 0 c389a0b78fa0b4bd
// sum: 1 86a3157a82ca1d60
__kernel void unstructured_branch0(__global const int *src, __global int *dst) {
  int id = (int)get_global_id(0);
  int n = 0;
  dst[id] = -2;
  if (src[id] >= 0)
    goto inside;
  dst[id] = id;
  do {
    dst[id] += 3;
  inside:
    dst[id] -= 1;
    n++;
  } while (n < 3 + (id & 7));
  dst[id] = dst[id] * 10 + n;
}
