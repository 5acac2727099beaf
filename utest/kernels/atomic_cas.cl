// Loops around compare-exchange: lanes that fail retry while others continue.
// Sums of small integers are exact in any order.
// run: -k atomic_cas -g 2000 b:uint:2000:rand,13 b:float:10 b:uint:4 b:ulong:1
// sum: 1 1015547b3d3f4fb3
// sum: 2 db66304a16fade1e
// sum: 3 a5cc6f1b3ebcfe59
float add(volatile __global float *p, float x) {
  union { uint u; float f; } old, now;
  do {
    old.f = *p;
    now.f = old.f + x;
  } while (atomic_cmpxchg((volatile __global uint *)p, old.u, now.u) != old.u);
  return old.f;
}

__kernel void atomic_cas(__global const uint *in, volatile __global float *sum, volatile __global uint *top,
                         volatile __global ulong *most) {
  uint x = in[get_global_id(0)];
  add(&sum[0], (float)(x & 15));
  add(&sum[1 + (x >> 4 & 7)], (float)(x >> 8 & 15));
  if (x & 1) add(&sum[9], 1.0f);
  uint seen = top[x & 3];
  while (seen < x) {
    uint was = atomic_cmpxchg(&top[x & 3], seen, x);
    if (was == seen) break;
    seen = was;
  }
  ulong w = (ulong)x * x, old = most[0];
  while (w > old) {
    ulong was = atom_cmpxchg(&most[0], old, w);
    if (was == old) break;
    old = was;
  }
}
