// A return in one arm before the last store.
// run: -k lower_return0 -g 1000 b:int:1000:const,2 b:int:1000:const,9
// sum: 0 3a33091109cd5e25
// sum: 1 b626031ca980b5d5
// run: -k lower_return0 -g 1000 b:int:1000:const,-2 b:int:1000:const,9
// sum: 0 285d5fa8e17ccec5
// sum: 1 285d5fa8e17ccec5
// run: -k lower_return0 -g 1000 b:int:1000:index,1,-500 b:int:1000:const,9
// sum: 0 c389a0b78fa0b4bd
// sum: 1 c4ef1efa1e5a79de
__kernel void lower_return0(__global int *src, __global int *dst) {
  int id = (int)get_global_id(0);
  dst[id] = id;
  if (src[id] > 0)
    return;
  dst[id] = src[id];
}
