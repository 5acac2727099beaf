// && and || whose right operand has side effects, and the conditional operator.
// run: -k short_circuit -g 1000 b:uint:1000:rand,53 b:uint:1000
// sum: 0 508c7621b2c13148
// sum: 1 225ff43cd2982c67
__kernel void short_circuit(__global const uint *in, __global uint *out) {
  uint i = get_global_id(0);
  uint v = in[i], n = 0, r = 0;
  if ((v & 1) && ++n && (v & 2) && n++ < 5)
    r |= 1;
  if ((v & 4) || (n += 10, v & 8) || (n++, 0))
    r |= 2;
  while (n-- > 3 && (r += 4, (r & 64) == 0))
    r ^= v & 8;
  r += (v & 16) ? n++ * 2 : (v & 32) ? --n : (n = 5);
  int both = (v & 64) && ((v & 128) || !(n & 1));
  int none = !both && !(r & 1);
  out[i] = r * 1000 + (n & 255) * 4 + both * 2 + none;
}
