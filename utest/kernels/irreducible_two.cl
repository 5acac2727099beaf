// A loop with two entries; which one a lane takes depends on its input.
// run: -k irreducible_two -g 1000 b:uint:1000:rand,21,0,200 b:uint:1000
// sum: 0 63270d9a1128fdf1
// sum: 1 0358fe464101a434
// run: -k irreducible_two -g 1000 b:uint:1000:const,8 b:uint:1000
// sum: 0 2a0a144e6cec35a5
// sum: 1 0e51df40d524b835
// run: -k irreducible_two -g 1000 b:uint:1000:const,9 b:uint:1000
// sum: 0 57663d198711bc65
// sum: 1 4723eb520b424d25
__kernel void irreducible_two(__global const uint *in, __global uint *out) {
  uint i = get_global_id(0);
  uint v = in[i], n = 0, r = 0;
  if (v & 1)
    goto odd;
even:
  r += 3 * n + 1;
  n++;
  if (n > v)
    goto end;
odd:
  r ^= n << 2;
  n += 2;
  if (r % 7 != 3)
    goto even;
  r += 100;
  if (n < 50)
    goto even;
end:
  out[i] = r * 64 + n;
}
