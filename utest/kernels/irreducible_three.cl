// A cycle of three blocks, each of them an entry.
// run: -k irreducible_three -g 1000 b:uint:1000:rand,23 b:uint:1000
// sum: 0 515617dccaa6e31b
// sum: 1 0d600756547a16fc
// run: -k irreducible_three -g 1000 b:uint:1000:const,1 b:uint:1000
// sum: 0 c2478372583df265
// sum: 1 94a1c316567c5de5
__kernel void irreducible_three(__global const uint *in, __global uint *out) {
  uint i = get_global_id(0);
  uint v = in[i], steps = 0, r = v >> 8;
  if (v % 3 == 0)
    goto a;
  if (v % 3 == 1)
    goto b;
  goto c;
a:
  r = r * 5 + 1;
  if (++steps > 40)
    goto out;
b:
  r ^= r >> 3;
  steps += 2;
  if ((r & 31) == 7)
    goto out;
  if (r & 1)
    goto a;
c:
  r += steps;
  if (++steps > 60)
    goto out;
  if (r & 2)
    goto b;
  goto a;
out:
  out[i] = r ^ (steps << 24);
}
