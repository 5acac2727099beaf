// Loops over ranges of one length whose start differs by lane: forward, backward, with an inclusive end, with early exits.
// run: -k ranges -g 200 uint:7 uint:3 b:uint:200:rand,301 b:uint:200 b:uint:200
// sum: 2 79b0409ff962a950
// sum: 3 a1f02e6040fba3b2
// sum: 4 aa810629236531a5
// run: -k ranges -g 200 uint:4294967290 uint:11 b:uint:200:index,1,4294967200 b:uint:200 b:uint:200
// sum: 2 b965868b3b123525
// sum: 3 39e93de1891795a7
// sum: 4 97c650c79cddbb97
// run: -k ranges -g 200 uint:2147483647 uint:0 b:uint:200:rand,302,2147483640,2147483655 b:uint:200 b:uint:200
// sum: 2 6b3298be8b62d407
// sum: 3 a66fa128af863ff7
// sum: 4 bd77c64df1ea0dce
__kernel void ranges(uint n, uint m, __global const uint *in, __global uint *out, __global uint *rounds) {
  uint i = get_global_id(0), s = 0, count = 0;
  for (uint k = i * n; k < (i + 1) * n; k++) {
    if (count++ == 40)
      break;
    s = s * 3 + k;
  }
  uint b = in[i];
  for (uint k = b; k <= b + m; k++) {
    if (count++ >= 90)
      break;
    if (k & 1)
      continue;
    s ^= k << 3;
  }
  for (uint k = b + n * m; b < k; --k) {
    if (count++ >= 130)
      break;
    s += k >> 1;
  }
  for (uint k = i - m; k != i + m; k++)
    s += in[k % 200];
  out[i] = s;
  rounds[i] = count;
}
