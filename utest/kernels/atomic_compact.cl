// List positions from atomic counters: each work-item gets a unique position, but the order is unspecified.
// run: -k atomic_compact -g 2000 b:uint:2000:rand,12 b:uint:10 b:uint:34000 b:uint:210
// sum: 1 b4671dde461646af
// sum: 2 e933fa2de42d7164
// sum: 3 3ce1d38b9c6ee5a4
__kernel void atomic_compact(__global const uint *in, volatile __global uint *n, __global uint *seen,
                             __global uint *sums) {
  uint size = get_global_size(0);
  uint x = in[get_global_id(0)];
  if (x % 3 != 0) {
    uint at = atomic_inc(&n[0]);
    atomic_inc(&seen[at % size]); // every position once
    atomic_add(&sums[0], at);
  }
  if (x & 8) {
    uint at = atomic_add(&n[1], 2);
    atomic_or(&sums[1 + at / 32 % 128], 1u << at % 32);
  }
  uint old = atomic_add(&n[2], x & 15); // space for some work-items only
  for (uint k = 0; k < (x & 15); k++) atomic_inc(&seen[size + (old + k) % (16 * size)]);
  atomic_max(&sums[200], atomic_sub(&n[3], 1));
  atomic_add(&sums[201], atomic_xchg(&n[4], 1));
  atomic_add(&sums[202], atomic_or(&n[5], 2));
  atomic_add(&sums[203], atomic_dec(&n[6 + (x & 1)]));
  atomic_max(&sums[204], atomic_max(&n[8], x)); // whether the maximum was stored before or not
  atomic_xor(&sums[205], atomic_xor(&n[9], 12));
  sums[204] = 0;
}
