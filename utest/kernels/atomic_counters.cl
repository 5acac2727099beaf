// All lanes access one address, with every operation; in some places under a partial mask.
// run: -k atomic_counters -g 5000 b:int:5000:rand,8 b:int:9:rand,9 b:uint:3:rand,10 b:long:5:rand,11
// sum: 1 59581680f29e8679
// sum: 2 8de8190675e0fdc2
// sum: 3 958b17d02b9144cd
__kernel void atomic_counters(__global const int *in, __global int *c, __global uint *u, __global long *w) {
  int i = get_global_id(0);
  int x = in[i];
  atomic_add(&c[0], x);
  atomic_inc(&c[1]);
  atomic_max(&c[2], x);
  atomic_min(&c[3], x);
  atomic_xor(&c[4], 0x55);
  if (x & 4) {
    atomic_or(&c[5], x);
    atomic_and(&c[6], x | 0xff);
    atomic_max(&u[0], (uint)x);
    atomic_min(&u[1], (uint)x);
    atomic_dec(&u[2]);
    atomic_xor(&c[7], x);
  }
  for (int k = 0; k < (x & 7); k++) {
    atomic_sub(&c[8], k);
    atom_add(&w[0], (long)x << k);
    atom_max(&w[1], (long)x * x);
    atom_min(&w[2], (long)x << 3);
    atom_xor(&w[3], 7L << (k * 5));
    atom_inc(&w[4]);
  }
}
