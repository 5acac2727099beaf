// A loop with two entries, made with goto: the input determines where a lane enters, and lanes cross over inside.
// run: -k irreducible -g 262144 b:uint:262144:rand,1 b:uint:262144
// sum: 0 f8ad3f6abd48b34f
// sum: 1 c30a253535e0c596
__kernel void irreducible(__global const uint *in, __global uint *out) {
  size_t i = get_global_id(0);
  uint x = in[i], score = 0, turns = 0;
  if (x & 1)
    goto high;
low:
  score += x & 7;
  x = x * 1664525u + 1013904223u;
  turns++;
  if (turns > 100)
    goto end;
  if (x >> 30)
    goto low;
high:
  score = score * 3 + 1;
  x ^= x >> 7;
  turns += 2;
  if (turns > 100)
    goto end;
  if (x & 0x500)
    goto low;
  x = x * 22695477u + 1u;
  goto high;
end:
  out[i] = score << 8 | turns;
}
