// Private tables initialized by loops from a buffer, from constants and from their counters, then an interpreter of two-byte instructions that uses them.
// run: -k private_tables -g 100 b:uint:164:rand,91 b:uchar:128:rand,92 b:uint:100
// sum: 0 bfbbf44bcfe30e4a
// sum: 1 c8ae4f01569bccfd
// sum: 2 3bef13d44743c29a
__kernel void private_tables(__global const uint *in, __global const uchar *rom, __global uint *out) {
  int id = get_global_id(0);
  uchar mem[128], v[16];
  uint wide[20];
  float f[9];
  ushort keys[25];
  for (uint i = 0; i < 128; i++) mem[i] = rom[i] ^ (uchar)id;
  for (uint i = 0; i < 16; i++) v[i] = (uchar)(in[id] >> (i & 7));
  for (int i = 0; i < 20; i++) wide[i] = in[id + i] < 1000u * id ? in[id + i] : i * 3u;
  for (int i = 0; i < 9; i++) f[i] = (float)(int)(in[i] & 0xffff) * 0.5f;
  for (int i = 0; i < 25; i++) keys[i] = (ushort)(rom[i] * 3 + i);
  uint pc = id & 126, h = 0;
  for (int step = 0; step < 60; step++) {
    uint op = (uint)mem[pc] << 8 | mem[(pc + 1) % 128];
    uint x = op >> 8 & 15, y = op >> 4 & 15, nn = op & 255;
    pc = (pc + 2) % 128;
    switch (op >> 12) {
    case 0: v[x] = v[y]; break;
    case 1: v[x] += (uchar)nn; break;
    case 2: pc = op & 126; break;
    case 3: if (v[x] == nn) pc = (pc + 2) % 128; break;
    case 4: v[x] ^= v[y]; break;
    case 5: h += wide[(op & 0xfff) % 20]; break;
    case 6: h ^= keys[op % 25]; break;
    case 7: h += (uint)f[(op >> 5) % 9]; break;
    case 8: mem[nn & 127] = v[x]; break;
    default: v[x] = (uchar)(op >> 6); break;
    }
    h = h * 33 + v[x];
  }
  out[id] = h;
}
