// Structs in buffers: loads, stores and assignment of whole elements, also by index in the input.
// run: -k struct_buffer -g 1000 b:uint:4000:rand,68 b:uint:4000:const,1
// sum: 0 b948d9c7014bf8b7
// sum: 1 15d3b40f9e3a13db
// run: -k struct_buffer -g 7 b:uint:28:rand,68 b:uint:28:const,1
// sum: 0 f2fe8c0972948a57
// sum: 1 a8cb1f5e3b9b94ac
typedef struct {
  uint id;
  ushort halves[2];
  float value;
  uchar bytes[4];
} record;
__kernel void struct_buffer(__global const record *in, __global record *out) {
  int i = get_global_id(0), n = get_global_size(0);
  record r = in[n - 1 - i];
  if (r.id & 1)
    r = in[r.id % n];
  r.value = (float)(r.halves[0]) + 0.5f;
  r.bytes[r.id & 3] = 0x7f;
  out[i] = r;
  if (r.halves[1] > 1000) {
    __global record *o = out + i;
    o->halves[1] -= 1000;
    o->id = (uint)i;
  }
}
