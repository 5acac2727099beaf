// Returns in a nest: after the inner store, after the outer store, at the end.
// run: -k lower_return2 -g 1000 b:int:1000:const,2 b:int:1000:const,9
// sum: 0 3a33091109cd5e25
// sum: 1 63a1d285815ed3bc
// run: -k lower_return2 -g 1000 b:int:1000:const,-2 b:int:1000:const,9
// sum: 0 285d5fa8e17ccec5
// sum: 1 edbc32f611309cb9
// run: -k lower_return2 -g 1000 b:int:1000:index,1,-500 b:int:1000:const,9
// sum: 0 c389a0b78fa0b4bd
// sum: 1 afe934aaaa398901
__kernel void lower_return2(__global int *src, __global int *dst) {
  const int id = (int)get_global_id(0);
  dst[id] = id;
  while (dst[id] > src[id]) {
    if (dst[id] > 100) {
      dst[id] = -1;
      return;
    }
    dst[id]--;
    if (src[id] + dst[id] == 7) {
      dst[id] += 1000;
      return;
    }
    if (dst[id] < -20)
      return;
  }
  dst[id] += 2;
}
