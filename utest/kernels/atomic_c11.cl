// The atomic functions of OpenCL C 2.0, with and without orders and scopes.
// run: -k atomic_c11 -g 3000 b:int:3000:rand,21,0,100000 b:int:17 b:ulong:8 b:float:1 b:int:17
// sum: 1 3c451f1b27aae8ee
// sum: 2 64405b38c4af94d1
// sum: 3 6681c57e89ba0de8
// sum: 4 b72baee44a6fdc75
__kernel void atomic_c11(__global const int *in, volatile __global atomic_int *a, volatile __global atomic_ulong *w,
                         volatile __global atomic_float *f, __global atomic_flag *flag) {
  int x = in[get_global_id(0)];
  atomic_fetch_add(&a[0], x);
  atomic_fetch_sub_explicit(&a[1], x, memory_order_relaxed);
  atomic_fetch_or_explicit(&a[2], x & 0xff, memory_order_acq_rel, memory_scope_device);
  atomic_fetch_and(&a[3], x | 0xf0f0);
  atomic_fetch_xor(&a[4], x);
  atomic_fetch_min_explicit(&a[5 + (x & 1)], x, memory_order_seq_cst, memory_scope_work_group);
  atomic_fetch_max(&a[7 + (x & 3)], x);
  atomic_store(&a[11 + (x & 1)], 77 + (x & 1));
  atomic_store_explicit(&a[13], 5, memory_order_relaxed);
  atomic_init(&a[14], 9);
  ulong big = (ulong)x * 0x10001;
  ulong old = atomic_load(&w[x & 7]);
  while (old < big && !atomic_compare_exchange_weak(&w[x & 7], &old, big)) {
  }
  float was = atomic_load_explicit(&f[0], memory_order_acquire);
  while (!atomic_compare_exchange_strong_explicit(&f[0], &was, was + (x & 3), memory_order_release,
                                                  memory_order_relaxed)) {
  }
  if (!atomic_flag_test_and_set(&flag[x & 15])) atomic_fetch_add(&a[15], 1);
  atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_acq_rel, memory_scope_device);
  if (x < 0) atomic_flag_clear(&flag[16]);
  atomic_exchange(&a[16], 4);
}
