// IDs close to the largest numbers, so that those of lanes without a work-item would be small:
// the value of the last lane must not be used for a test of all lanes there.
// run: -k lanes_beyond -g 20 --offset 2147418092 b:int:64:rand,1 b:int:20 uint:4294967292
// sum: 0 dafa6c701286668b
// sum: 1 25d6321125619a98
__kernel void lanes_beyond(__global const int *in, __global int *out, uint n) {
  uint i = get_global_id(0);
  uint x = i + 2147549183u;
  out[i - 2147418092u] = in[min(x, n) - 4294967275u];
}
