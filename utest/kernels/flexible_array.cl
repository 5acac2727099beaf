// Arrays without a length at the end of structs: the memory after a header.
// run: -k flexible -g 60 b:uint:300:rand,3,1,40 b:uint:400
// sum: 0 f220acf3ce5ec915
// sum: 1 ad3dff4b44358566
typedef struct { uint kind; ushort n; uint words[]; } packet;
typedef struct { ulong tag; struct { char a; short b; } parts[0]; } older;
typedef struct { packet head; } outer;
uint sum(__global const packet *p, uint n) {
  uint s = p->kind + p->n;
  for (uint i = 0; i < n; i++) s = s * 3 + p->words[i];
  return s;
}
__kernel void flexible(__global const uint *in, __global uint *out) {
  size_t i = get_global_id(0);
  __global const packet *p = (__global const packet *)(in + 5 * i);
  __global packet *q = (__global packet *)(out + 5 * i);
  packet head = *p, none = { 7 };
  head.n += none.kind + none.n;
  *q = head;
  q->words[0] = sum(p, p->n % 4);
  q->words[p->words[0] % 3] += sizeof(packet) * 100 + sizeof(older) * 10 + sizeof(outer);
  __global older *o = (__global older *)(out + 304 + 2 * i);
  if (i % 20 == 0) o->parts[1].b = ((__global const older *)in)->parts[i].a;
}
