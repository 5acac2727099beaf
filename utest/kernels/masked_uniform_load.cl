// A uniform load under a divergent branch is the bound of a uniform loop.
// run: -k masked_uniform_load -g 1000 b:int:1000:const,0 b:int:4:const,3 b:int:1000
// sum: 0 94eb5aa73e186ba5
// sum: 1 60dacce1cdffd185
// sum: 2 b626031ca980b5d5
// run: -k masked_uniform_load -g 1000 b:int:1000:rand,123,0,1 b:int:4:const,3 b:int:1000
// sum: 0 4f84adc9298519f5
// sum: 1 60dacce1cdffd185
// sum: 2 780294efdc4b7129
// run: -k masked_uniform_load -g 1000 b:int:1000:const,0 b:int:4:const,2000000000 b:int:1000
// sum: 0 94eb5aa73e186ba5
// sum: 1 96a105bbccc10be5
// sum: 2 b626031ca980b5d5
__kernel void masked_uniform_load(__global const int *on, __global const int *bound, __global int *out) {
  int i = get_global_id(0), r = i;
  if (on[i]) {
    int n = bound[2];
    for (int k = 0; k < n; k++)
      r = r * 2 % 1009 + k;
  }
  out[i] = r;
}
