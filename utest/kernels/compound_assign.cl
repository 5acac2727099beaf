// Every compound assignment, comma, increments in subscripts and chains of assignments.
// run: -k compound_assign -g 1000 b:uint:1000:rand,55 b:uint:1000
// sum: 0 da883e32f589f7f4
// sum: 1 84a3b4adea5e3131
__kernel void compound_assign(__global const uint *in, __global uint *out) {
  uint i = get_global_id(0);
  uint v = in[i];
  uint t[8];
  uint k = 0;
  t[k++] = v;
  t[k++] = t[0] >> 4;
  t[k] = t[k - 1] ^ 5, k++;
  uint a, b, c;
  a = b = c = v & 0xffff;
  a += 3, b -= a, c *= 7;
  a <<= 2, b >>= 1, c |= 0x100;
  a &= ~8u, b ^= c, c %= 1000u;
  a /= (b & 7) + 1;
  t[k++] = a;
  t[k++] = b;
  t[k++] = c;
  int s = (int)(v >> 1) - 0x40000000;
  s >>= 3;
  s /= -7;
  s %= 1001;
  t[k++] = (uint)s;
  t[k++] = (a > b) + (b >= c) * 2 + (a == c) * 4 + (a != b) * 8;
  uint r = 0;
  for (uint p = 0, q = k; p < q; p++, q--)
    r = r * 33 + (t[p] ^ (t[q - 1] += p));
  out[i] = r;
}
