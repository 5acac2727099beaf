// An if whose else contains another if: lanes take three paths.
// run: -k if_else -g 1000 b:int:1000:const,2 b:int:1000
// sum: 0 3a33091109cd5e25
// sum: 1 7a79bbc6490d85a1
// run: -k if_else -g 1000 b:int:1000:const,-2 b:int:1000
// sum: 0 285d5fa8e17ccec5
// sum: 1 a40adcae304168f5
// run: -k if_else -g 1000 b:int:1000:index,1,-500 b:int:1000
// sum: 0 c389a0b78fa0b4bd
// sum: 1 8fcd03da19a22483
// run: -k if_else -g 17 b:int:17:rand,1,-3,3 b:int:17
// sum: 0 8447fa47bb9a456d
// sum: 1 3401458114edb62c
__kernel void if_else(__global const int *src, __global int *dst) {
  int id = (int)get_global_id(0);
  int v = src[id];
  if (v >= 0) {
    dst[id] = 2 * v + id;
    if (v > 1)
      dst[id] += src[0];
  } else {
    dst[id] = id - v;
  }
}
