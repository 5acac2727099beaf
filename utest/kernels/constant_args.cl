// __constant pointer arguments, read uniformly and by lane.
// run: -k constant_args -g 1000 b:float:16:rand,115:r b:int:64:rand,116,0,15:r b:float:1000
// sum: 0 6ae77a23b0faa0c0
// sum: 1 b6f9ea8a29a6c64f
// sum: 2 2c60588ec38b2d35
__kernel void constant_args(__constant float *taps, __constant int *map, __global float *out) {
  int i = get_global_id(0);
  float s = 0.0f;
  for (int k = 0; k < 16; k++)
    s += taps[k] * (float)(i + k);
  out[i] = s + taps[map[i & 63]];
}
