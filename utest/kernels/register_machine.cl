// A register machine with packed instructions in constant memory.
// run: -k register_machine -g 200 b:uint:64:rand,99 b:uint:200:rand,31 b:uint:200
// sum: 0 80e7a7e085ce513c
// sum: 1 87c27d07d07374cb
// sum: 2 a52db0f8d3630cc0
__kernel void register_machine(__constant uint *code, __global const uint *in, __global uint *out) {
  int gid = get_global_id(0);
  uint r[16];
  for (int k = 0; k < 16; k++) r[k] = in[gid] ^ k * 0x9e3779b9u;
  uint pc = gid & 63;
  for (int n = 0; n < 300; n++) {
    uint w = code[pc];
    uint d = w >> 28, a = w >> 24 & 15, b = w >> 20 & 15;
    pc = pc + 1 & 63;
    switch (w & 7) {
    case 0: r[d] = r[a] + r[b]; break;
    case 1: r[d] = r[a] * r[b]; break;
    case 2: r[d] = r[a] ^ r[b]; break;
    case 3: r[d] = rotate(r[a], w >> 8 & 31); break;
    case 4: r[d] = w >> 8; break;
    case 5: if (r[a] < r[b]) pc = w >> 8 & 63; break;
    case 6: if (r[d] & 4) pc = pc + (w >> 8 & 7) & 63; break;
    default: r[d] = r[a] - r[b]; break;
    }
  }
  out[gid] = r[0] ^ r[5] ^ pc;
}
