// Loops that test and decrement a counter in one expression, signed and unsigned, from below zero, at zero and from the limits of the type.
// run: -k count_down -g 300 b:int:300:rand,5,-3,40:r b:long:1800
// sum: 1 f63bd2176d28c95f
uint unsigned_above(uint n, uint x) {
  while (n-- > 0 && n < 100)
    x = x * 3 + n;
  return x ^ n;
}

int signed_above(int n, int x) {
  int rounds = 0;
  while (n-- > 0) {
    x = x * 5 - n;
    if ((x & 63) == 9 || ++rounds > 70)
      break;
  }
  return x ^ n;
}

int not_zero(int n, int x) {
  int rounds = 0;
  while (n-- && ++rounds < 50)
    x += n * rounds;
  return x - n;
}

long at_least_one(long n, long x) {
  for (; n >= 1; n--) {
    x = x * 7 + n;
    if ((x & 255) == 3)
      n -= 2;
  }
  return x + n;
}

ulong wide(ulong n, ulong x) {
  uint rounds = 0;
  while (n-- != 0 && rounds++ < 45)
    x = (x ^ n) * 11;
  return x + n;
}

int until(int n, int x) {
  do {
    x = x * 9 + 1;
    if (x & 4)
      continue;
    x ^= n;
  } while (n-- > 1);
  return x + n;
}

__kernel void count_down(__global const int *in, __global long *out) {
  int i = get_global_id(0), n = in[i];
  if (i == 7)
    n = -2147483647 - 1;
  else if (i == 8)
    n = 0;
  out += i * 6;
  out[0] = unsigned_above(i == 9 ? 0xffffffffu : max(n, 0), i);
  out[1] = signed_above(n, i);
  out[2] = not_zero(n, i);
  out[3] = at_least_one(n, i);
  out[4] = wide((ulong)(long)n, i);
  out[5] = until(n, i);
}
