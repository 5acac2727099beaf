// A register machine: each lane interprets a shared program from its own entry.
// run: -k bytecode -g 500 b:uint:64:rand,208 b:uint:500:rand,209 b:uint:2000
// sum: 0 ef085910484243d0
// sum: 1 abe130c760239b7b
// sum: 2 1a58b680443b8603
__kernel void bytecode(__global const uint *program, __global const uint *in, __global uint *out) {
  uint i = get_global_id(0);
  uint regs[4];
  regs[0] = in[i];
  regs[1] = i;
  regs[2] = 3;
  regs[3] = 0;
  uint pc = in[i] >> 26, fuel = 120;
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
    case 6: regs[a] = regs[b] / ((imm & 7) + 1); break;
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
    case 10:
      regs[3]++;
      continue;
    case 11: regs[a] = ~regs[a]; break;
    case 12: regs[a] += in[regs[b] % 500]; break;
    case 13:
      if ((regs[0] & 63) == 17)
        goto halt;
      break;
    default: regs[a] += imm; break;
    }
    regs[3] += fuel & 1;
  }
halt:
  for (int k = 0; k < 4; k++)
    out[4 * i + k] = regs[k];
}
