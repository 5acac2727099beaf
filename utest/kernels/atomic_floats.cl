// Atomic addition, subtraction, minimum and maximum of floats and doubles. Sums
// of small integers are exact in any order.
// run: -k atomic_floats -g 640 -l 64 b:uint:640:rand,5 b:float:8 b:double:3 b:float:10
// sum: 1 70601ffc9e189246
// sum: 2 a615974786776003
// sum: 3 b6be192260bf83f3
__kernel void atomic_floats(__global const uint *in, volatile __global atomic_float *f, volatile __global double *d,
                            __global float *sums) {
  __local atomic_float part;
  uint x = in[get_global_id(0)];
  if (get_local_id(0) == 0) atomic_init(&part, 0.0f);
  barrier(CLK_LOCAL_MEM_FENCE);
  atomic_fetch_add(&f[x & 3], (float)(x >> 8 & 15));
  if (x & 4) atomic_fetch_sub_explicit(&f[4], 2.0f, memory_order_relaxed);
  atomic_fetch_min(&f[5], (float)x * 0.25f - 1e8f);
  atomic_fetch_max_explicit(&f[6 + (x & 1)], (float)(int)x, memory_order_relaxed, memory_scope_device);
  atomic_fetch_add(&d[x & 1], (double)x);
  atomic_fetch_min(&d[2], -(double)x);
  if (atomic_fetch_add(&part, (float)(x & 7)) < 0) atomic_fetch_add(&f[0], 1e9f);
  barrier(CLK_LOCAL_MEM_FENCE);
  if (get_local_id(0) == 0) sums[get_group_id(0)] = atomic_load(&part);
}
