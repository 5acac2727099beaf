// The same with work after the early return, and a partial last strip.
// run: -k lower_return1 -g 1023 b:int:1023:const,2 b:int:1023:const,9
// sum: 0 61febc307f351757
// sum: 1 2f5034d677eb785c
// run: -k lower_return1 -g 1023 b:int:1023:const,-2 b:int:1023:const,9
// sum: 0 6025ce2df98a5bb8
// sum: 1 294c222b2db80442
// run: -k lower_return1 -g 1023 b:int:1023:index,1,-500 b:int:1023:const,9
// sum: 0 36638c98cb874878
// sum: 1 f307026a994cd096
__kernel void lower_return1(__global int *src, __global int *dst) {
  const int id = (int)get_global_id(0);
  dst[id] = id;
  if (dst[id] > 5 && src[id] < 0)
    return;
  if (id < 11 || src[id] > 100)
    dst[id] = src[id] - 2;
}
