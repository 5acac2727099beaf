// Functions that test the address space of generic pointers, which differ between work-items,
// come from memory, or lie after their object.
// run: -k spaces -g 264 -l 33 --cl-std CL3.0 b:uint:264 b:int:264:rand,91,0,99 local:132
// sum: 0 2068687a9c2be165
// sum: 1 f54c5afb64c2f6c5
uint digits(const int *p) {
  return get_fence(p) * 1000 + (to_global(p) == p) * 100 + (to_local(p) == p) * 10 + (to_private(p) == p);
}

kernel void spaces(global uint *out, global int *in, local int *memory) {
  local int *local kept;
  int mine[4] = { 1, 2, 3, 4 }, *places[5] = { in, memory, mine, mine + 4, memory + get_local_size(0) };
  size_t i = get_global_id(0), j = get_local_id(0);
  memory[j] = in[i] + 10;
  if (j == 0) kept = memory + in[i] % 33;
  barrier(CLK_LOCAL_MEM_FENCE);
  int k = in[i] % 5, *p = in[i] > 80 ? kept : places[k], *q = places[in[0] % 3];
  uint x = digits(p) + 3000 * digits(q);
  local int *l = to_local(p);
  private int *own = to_private(p);
  global int *g = to_global(p);
  if (l) x += k < 4 || in[i] > 80 ? *l : 5;
  if (own) {
    if (k == 2) *own += in[i];
    x += mine[0];
  }
  if (g) x += *g;
  out[i] = x + (to_private(&places[k]) != 0);
}
