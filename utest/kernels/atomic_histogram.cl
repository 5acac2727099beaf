// A histogram: lanes with the same bin, bins shared by all lanes, and 64-bit counters.
// run: -k atomic_histogram -g 5000 b:uint:5000:rand,7 b:uint:68 b:ulong:8 b:uint:12
// sum: 1 f8716b0510b2e912
// sum: 2 fbb27e74ffb03130
// sum: 3 ebd709cb250f2577
__kernel void atomic_histogram(__global const uint *in, volatile __global uint *bins, __global ulong *wide,
                               __global uint *odd) {
  uint x = in[get_global_id(0)];
  atomic_inc(&bins[x & 63]);
  atomic_sub(&bins[64 + (x >> 16 & 3)], x & 0xff);
  atom_add(&wide[x >> 8 & 7], (ulong)x << 20);
  if (x % 3 == 1) {
    atomic_add(&odd[x % 5], 3);
    atomic_xor(&odd[5 + x % 7], x);
  }
}
