// A stack machine in an endless loop: halts, a step limit, a private stack.
// run: -k stack_machine -g 200 b:ushort:128:rand,55 b:int:200:rand,31,1,1000 b:int:200
// sum: 0 80ff90315fda4fb6
// sum: 1 59dbc6a22c23867a
// sum: 2 41cbbc1e405bdd22
__kernel void stack_machine(__global const ushort *code, __global const int *in, __global int *out) {
  int gid = get_global_id(0);
  int st[16];
  for (int k = 0; k < 16; k++) st[k] = in[gid] + k;
  uint sp = 4, pc = in[gid] & 127, n = 0;
  while (1) {
    ushort w = code[pc & 127];
    int k = w >> 4;
    pc++;
    if (++n > 300) break;
    switch (w & 15) {
    case 0: case 1: st[sp++ & 15] = k; break;
    case 2: st[sp - 1 & 15] += st[sp & 15]; sp--; break;
    case 3: st[sp - 1 & 15] -= st[sp & 15]; sp--; break;
    case 4: st[sp - 1 & 15] *= st[sp & 15]; sp--; break;
    case 5: st[sp & 15] = st[sp - 1 & 15]; sp++; break;
    case 6: { int t = st[sp & 15]; st[sp & 15] = st[sp - 1 & 15]; st[sp - 1 & 15] = t; break; }
    case 7: if (st[sp & 15] > k) pc += k & 7; break;
    case 8: if (st[sp-- & 15] & 1) pc -= k & 15; break;
    case 9: st[sp & 15] ^= k; break;
    case 10: st[sp & 15] = st[sp & 15] >> 1; break;
    case 11: st[sp & 15] += in[gid]; break;
    case 12: st[sp & 15] &= st[sp - 2 & 15]; break;
    case 13: sp++; break;
    case 14: if (st[sp & 15] == 77) { out[gid] = sp; return; } break;
    default: st[sp & 15] = -st[sp & 15]; break;
    }
  }
  out[gid] = st[sp & 15] + pc;
}
