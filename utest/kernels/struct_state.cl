// Structs with arrays that are subscripted by varying numbers, next to members
// that are not, like the state of a machine with registers, flags and a stack.
// run: -k machine -g 300 b:uint:300:rand,41 b:uint:300*4
// sum: 0 365ad04e8f062db3
// sum: 1 d8efbd26d398749f
// run: -k rows -g 200 b:uint:200:rand,42,0,63 b:int:200
// sum: 0 91f717f32bc61e94
// sum: 1 323181ac91d11078
// run: -k flat -g 120 b:uint:120:rand,44 b:int:120
// sum: 0 436f258a7c5e1554
// sum: 1 19f6d9940cd77957
// run: -k aliased -g 100 b:uint:100:rand,43,0,7 b:uint:100
// sum: 0 afc475b89e8c0186
// sum: 1 5318a4dc3b837571
typedef struct {
  uchar flags;
  ushort pc;
  uint regs[4];
  uint sp;
  short stack[6];
  uint steps;
} Machine;

void push(Machine *m, short x) { m->stack[m->sp % 6u] = x; m->sp++; }
short pop(Machine *m) { m->sp--; return m->stack[m->sp % 6u]; }

bool step(Machine *m, uint word) {
  uint op = (word >> (m->pc % 29u)) & 7, r = (word >> ((m->pc * 3u) % 31u)) & 3;
  m->pc++;
  m->steps += 1;
  switch (op) {
  case 0: m->regs[r] += m->pc; break;
  case 1: push(m, (short)m->regs[r]); break;
  case 2: m->regs[r] ^= (uint)pop(m); break;
  case 3: m->flags = (uchar)(m->regs[r] & 3); break;
  case 4: if (m->flags & 1) m->pc += 2; break;
  case 5: m->regs[(r + m->flags) & 3] = m->regs[r] * 5u + 1u; break;
  case 6: return m->steps > 40;
  default: m->regs[m->flags & 3]--; break;
  }
  return m->pc > 120;
}

__kernel void machine(__global const uint *words, __global uint *out) {
  uint id = get_global_id(0);
  Machine m;
  m.flags = 0; m.pc = 0; m.sp = 600; m.steps = 0;
  for (int i = 0; i < 4; i++) m.regs[i] = id + i;
  for (int i = 0; i < 6; i++) m.stack[i] = (short)i;
  while (!step(&m, words[id])) {}
  out[id * 4] = m.regs[0] ^ m.regs[1];
  out[id * 4 + 1] = m.regs[2] + m.regs[3];
  out[id * 4 + 2] = m.steps << 16 | m.pc;
  out[id * 4 + 3] = (uint)(ushort)m.stack[id % 6] << 8 | m.flags;
}

typedef struct { int low; struct { char name[5]; int grid[3][4]; } in[2]; int high; } Nested;

// Rows of arrays in structs that are elements of arrays in structs.
__kernel void rows(__global const uint *choice, __global int *out) {
  uint id = get_global_id(0), c = choice[id];
  Nested n, copy;
  n.low = 3;
  n.high = 4;
  for (int k = 0; k < 2; k++) {
    for (int i = 0; i < 5; i++) n.in[k].name[i] = (char)(i + k);
    for (int i = 0; i < 3; i++)
      for (int j = 0; j < 4; j++) n.in[k].grid[i][j] = 100 * k + 10 * i + j;
  }
  n.in[1].grid[2][c & 3] += n.in[0].grid[(c >> 2) % 3][c & 3] + n.low;
  n.in[c & 1].name[c % 5] = (char)c;
  copy = n;
  copy.in[0].grid[c % 3][1] -= copy.high;
  out[id] = copy.in[1].grid[2][3 - (c & 3)] + copy.in[0].grid[1][1] * 7 + copy.in[1].name[c % 5] + n.in[0].grid[1][1] + copy.low;
}

typedef struct { int before; int grid[3][4]; int after; } Rows;

// Subscripts that continue from one row to the next.
__kernel void flat(__global const uint *choice, __global int *out) {
  uint id = get_global_id(0), c = choice[id];
  Rows r;
  r.before = 1;
  r.after = 2;
  for (int i = 0; i < 12; i++) r.grid[0][i] = i * i;
  r.grid[2][3] += 5;
  r.grid[1][0] -= r.grid[0][c % 12];
  out[id] = r.grid[c % 3][1] + r.grid[1][(c & 7) + 0] + r.grid[2][3] * 3 + r.before + r.after;
}

typedef struct { uint first; uint many[4]; uint last; } Plain;

// Bytes of the whole struct, and a pointer that moves through it.
__kernel void aliased(__global const uint *choice, __global uint *out) {
  uint id = get_global_id(0), c = choice[id];
  Plain a, b;
  a.first = id; a.last = 2 * id;
  for (int i = 0; i < 4; i++) a.many[i] = i * c;
  uchar *bytes = (uchar *)&a;
  bytes[c * 3] ^= 0x55;
  b.first = 7; b.last = 9;
  for (int i = 0; i < 4; i++) b.many[i] = i + c;
  uint *p = b.many + (c & 3);
  *p = a.many[c & 3] + b.last;
  b.many[(c + 1) & 3] += b.first;
  out[id] = a.first + a.many[c & 3] * 3 + a.last * 5 + b.many[c & 3] + b.many[(c + 2) & 3];
}
