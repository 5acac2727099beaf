// A register machine: a switch in a loop, registers in a private array with varying subscripts, one entry point per lane.
// run: -k bytecode -g 65536 b:uint:64:rand,208 b:uint:65536:rand,209 b:uint:65536*4
// sum: 0 ef085910484243d0
// sum: 1 6920da0643ffcb17
// sum: 2 430fa582cdb6aa64
__kernel void bytecode(__global const uint *program, __global const uint *in, __global uint *out) {
  uint i = get_global_id(0);
  uint regs[4];
  regs[0] = in[i];
  regs[1] = i;
  regs[2] = 3;
  regs[3] = 0;
  uint pc = in[i] >> 26, fuel = 400;
  while (fuel-- > 0) {
    uint w = program[pc & 63];
    uint a = (w >> 8) & 3, b = (w >> 10) & 3, imm = (w >> 16) & 0xff;
    pc++;
    switch (w & 15) {
    case 0: regs[a] += regs[b]; break;
    case 1: regs[a] -= regs[b]; break;
    case 2: regs[a] *= regs[b] | 1; break;
    case 3: regs[a] ^= regs[b]; break;
    case 4: regs[a] = imm; break;
    case 5: regs[a] = regs[b] >> (imm & 31); break;
    case 6: regs[a] = regs[b] << (imm & 31); break;
    case 7:
      if (regs[a] > regs[b])
        pc += imm & 7;
      break;
    case 8:
      if (regs[a] & 1)
        pc -= (imm & 15) + 1;
      break;
    case 9: {
      uint t = regs[a];
      regs[a] = regs[b];
      regs[b] = t;
      break;
    }
    case 10: regs[3]++; break;
    case 11: regs[a] = ~regs[a]; break;
    case 12: regs[a] += in[regs[b] & 65535]; break;
    case 13: regs[a] = regs[b]; break;
    default: regs[a] += imm; break;
    }
  }
  for (int k = 0; k < 4; k++)
    out[4 * i + k] = regs[k];
}
