// Each work-item reads and rewrites its own elements many times; loads see earlier stores.
// run: -k global_rmw -g 1000 b:uint:4000:rand,131 b:uint:1000:rand,132
// sum: 0 af9adee11ebc31cc
// sum: 1 39736cbfd4eaf435
__kernel void global_rmw(__global uint *cells, __global const uint *in) {
  uint i = get_global_id(0);
  __global uint *c = cells + 4 * i;
  for (uint k = 0; k < (in[i] & 15); k++) {
    uint p = (in[i] >> k) & 3;
    c[p] += c[(p + 1) & 3] ^ k;
    if (c[p] & 1)
      c[3 - p] = c[p] >> 1;
    c[0]++;
  }
}
