// volatile, const and restrict qualifiers, static functions, unused parameters, attributes.
// run: -k volatile_const -g 64 -l 8 b:int:64:rand,133,0,100 b:int:64 int:3
// sum: 0 dbaf997ced4660be
// sum: 1 7c2984768b49e720
__attribute__((reqd_work_group_size(8, 1, 1))) __kernel void volatile_const(__global const int *restrict in, __global volatile int *restrict out, const int unused) {
  const size_t i = get_global_id(0);
  volatile int spins = 0;
  int const top = in[i] % 5;
#pragma unroll 4
  for (int k = 0; k < top; k++)
    spins += k;
  out[i] = spins;
  out[i] += 1;
  (void)unused;
  ;
}
