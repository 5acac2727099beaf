// A loop with two entries, made with goto: no compiler that asks for
// structured control flow can keep it as it is.
//
// Each work-item cancels characters of a text by a two-state rule and starts
// in the state its input asks for. Try
//
//	simtc run examples/irreducible.cl -k walk -g 1000000 b:uint:1000000:rand,1 b:uint:1000000
//	simtc compile examples/irreducible.cl --emit vir
//
// run: -k walk -g 1000 b:uint:1000:rand,1 b:uint:1000
// sum: 0 535f0d2055a2101f
// sum: 1 b87a618ea4ae60f9
// run: -k walk -g 17 b:uint:17:const,6 b:uint:17
// sum: 0 4690994cc37e76d3
// sum: 1 631e90c9b8f4acfb

__kernel void walk(__global const uint *in, __global uint *out) {
  size_t i = get_global_id(0);
  uint bits = in[i], score = 0, turns = 0;
  if (bits & 1)
    goto high;
low:
  score += bits & 7;
  bits >>= 1;
  turns++;
  if (bits == 0)
    goto end;
  if (bits & 2)
    goto low;
high:
  score = score * 3 + 1;
  bits >>= 2;
  turns++;
  if (bits & 5)
    goto low;
  if (bits != 0)
    goto high;
end:
  out[i] = score << 5 | turns;
}
