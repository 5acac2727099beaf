// Loops with several exits: a break in each arm, continue between them, a return.
// run: -k multi_exit -g 1000 b:uint:1000:rand,47 b:uint:1000 b:uint:1000
// sum: 0 7b55269ae24ae4c9
// sum: 1 5b967414134061a3
// sum: 2 6c7818a4519c6b83
__kernel void multi_exit(__global const uint *in, __global uint *out, __global uint *how) {
  uint i = get_global_id(0);
  uint v = in[i], n = 0, why = 0;
  for (;;) {
    v = v * 1664525u + 1013904223u;
    n++;
    if (v >> 31) {
      if ((v >> 24) % 9 == 0) {
        why = 1;
        break;
      }
      if (v & 0x10000)
        continue;
    } else {
      if ((v >> 20) % 17 == 3) {
        why = 2;
        break;
      }
      v ^= n;
      if (n > 25) {
        why = 3;
        break;
      }
    }
    if ((v >> 12) % 29 == 5) {
      why = 4;
      goto found;
    }
  }
  v = ~v;
found:
  out[i] = v;
  how[i] = why * 1000 + n;
}
// bench: -k multi_exit -g 500000 b:uint:500000:rand,47 b:uint:500000 b:uint:500000
// sum: 0 9092b6bd212cd8ca
// sum: 1 a6eeb6e246cdabc4
// sum: 2 e09e66a3479832a6
