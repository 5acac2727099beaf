// Atomics on local memory: a histogram with conflicts, positions from a counter, a
// sum by compare-exchange, and the largest number of each group.
// run: -k atomic_local -g 640 -l 64 b:uint:640:rand,5 b:uint:36 b:uint:10 b:float:10
// sum: 1 cbad9012c635cf90
// sum: 2 740d527bf916d4f3
// sum: 3 b2debd2d19e7e9e3
uint take(volatile __local uint *n) { return atomic_inc(n); }

__kernel void atomic_local(__global const uint *in, __global uint *bins, __global uint *out, __global float *sums) {
  __local uint mine[32], n, most;
  __local ulong wide[4];
  __local float sum;
  __local uint list[64];
  uint l = get_local_id(0), g = get_group_id(0), x = in[get_global_id(0)];
  if (l < 32) mine[l] = 0;
  if (l < 4) wide[l] = l;
  if (l == 0) {
    n = 0;
    most = 0;
    sum = 0;
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  atomic_inc(&mine[x & 31]);
  if (x & 32) atomic_add(&mine[x >> 8 & 3], 2);
  atomic_max(&most, x >> 3);
  atom_xor(&wide[x >> 6 & 3], (ulong)x << (x & 31));
  if (x & 64) list[take(&n) & 63] = 1 + (x & 7);
  union {
    uint u;
    float f;
  } old, now;
  do {
    old.u = *(volatile __local uint *)&sum;
    now.f = old.f + (x & 15);
  } while (atomic_cmpxchg((volatile __local uint *)&sum, old.u, now.u) != old.u);
  barrier(CLK_LOCAL_MEM_FENCE);
  if (l < 32) atomic_add(&bins[l], mine[l]);
  if (l < n) atomic_add(&out[g], list[l]);
  if (l < 4) atomic_xor(&bins[32 + l], (uint)(wide[l] >> 16));
  if (l == 0) {
    atomic_add(&out[g], atomic_xchg(&most, 0));
    sums[g] = sum;
  }
}
