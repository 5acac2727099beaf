// A tape machine whose jumps search for the matching bracket, forward or backward, in a separate program per work-item.
// run: -k brackets -g 200 b:uchar:200*24:rand,341 b:uint:200 int:90
// sum: 0 c93e5f7da5978f7f
// sum: 1 767fb4026f8294be
// run: -k brackets -g 37 b:uchar:37*24:rand,17,0,7 b:uint:37 int:300
// sum: 0 a5c7f6e51ff4ea56
// sum: 1 e5839472bd8df437
#define CODE 24
#define TAPE 8

int seek(__global const uchar *code, int pc, int by) {
  int nest = 0;
  for (; pc >= 0 && pc < CODE; pc += by) {
    int op = code[pc] & 7;
    nest += op == 5;
    nest -= op == 6;
    if (nest == 0) return pc;
  }
  return -1;
}

__kernel void brackets(__global const uchar *programs, __global uint *digest, int steps) {
  int id = get_global_id(0);
  __global const uchar *code = programs + id * CODE;
  uchar cells[TAPE];
  for (int i = 0; i < TAPE; i++) cells[i] = i == 0 ? 3 : 0;
  int head = 0, input = 0;
  uint h = 2166136261u;
  for (int step = 0, pc = 0; step < steps && pc < CODE; step++, pc++) {
    switch (code[pc] & 7) {
    case 0: head = (head + 1) % TAPE; break;
    case 1: head = (head + TAPE - 1) % TAPE; break;
    case 2: cells[head]++; break;
    case 3: cells[head]--; break;
    case 4: h = (h ^ cells[head]) * 16777619u; break;
    case 5:
      if (cells[head] == 0) {
        pc = seek(code, pc, 1);
        if (pc < 0) pc = CODE;
      }
      break;
    case 6:
      if (cells[head] != 0) {
        pc = seek(code, pc, -1);
        if (pc < 0) pc = CODE;
      }
      break;
    default: cells[head] = code[input]; input = (input + 1) % CODE; break;
    }
  }
  for (int i = 0; i < TAPE; i++) h = (h ^ cells[i]) * 16777619u;
  digest[id] = h;
}
