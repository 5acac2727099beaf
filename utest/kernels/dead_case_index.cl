// A case that no value reaches, in which the value is an arbitrary constant that indexes private memory.
// run: -k dead_case_index -g 100 b:uint:100:rand,361 b:uint:100
// sum: 0 ffe5bec0fada85f2
// sum: 1 bec4ac297dcb6eb3
__kernel void dead_case_index(__global const uint *in, __global uint *out) {
  uint i = get_global_id(0), x = in[i], sum = 0;
  uint kept[8];
  for (uint k = 0; k < 8; k++)
    kept[(k * 3 + x) & 7] = k ^ x;
  for (uint k = 0; k < 4; k++) {
    switch (x & 7) {
    case 3: sum += kept[k]; break;
    case -1: sum ^= kept[x & 7] * 3; break;
    case 0x20000001: sum ^= kept[x & 7] * 5; break;
    default: sum += kept[(x >> k) & 7]; break;
    }
    x = x / 3 + k;
  }
  out[i] = sum;
}
