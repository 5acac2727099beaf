// Enums, typedefs of arrays, function-like use of typedef names, sizeof, shadowed names and scopes.
// run: -k enum_typedef -g 1000 b:uint:1000:rand,117 b:int:1000
// sum: 0 7edf2b9ad9014d3a
// sum: 1 25d4370f8f94f065
enum color { RED, GREEN = 5, BLUE, LAST = BLUE + 10 };
typedef enum { IDLE = 1, BUSY = 2, DONE = 4 } state;
typedef int triple[3];
typedef unsigned int u32;
__kernel void enum_typedef(__global const uint *in, __global int *out) {
  int i = (int)get_global_id(0);
  enum color c = (in[i] & 1) ? GREEN : BLUE;
  state s = IDLE;
  triple t = {RED, c, LAST};
  for (int i = 0; i < 3; i++) {
    int c = t[i];
    s = (state)((s << 1) & 7);
    {
      int t = c + i;
      if (t % 2)
        s = DONE;
    }
    if (s == 0)
      s = IDLE;
  }
  u32 size = sizeof(triple) + sizeof(s) + sizeof t[0] + sizeof(u32[7]) + sizeof(long) + sizeof(float3) + sizeof(char16);
  const int k = 10;
  out[i] = (int)size * k + s * 1000 + c + (sizeof(int *) == 8 ? 100000 : 0);
}
