// A private array of structs, filled, sorted by insertion, and summed.
// run: -k private_structs -g 1000 b:uint:1000:rand,65 b:uint:1000
// sum: 0 a951be912050aefb
// sum: 1 9757e0e8717b9307
struct item {
  ushort key;
  uchar kind;
  uint weight;
};
__kernel void private_structs(__global const uint *in, __global uint *out) {
  uint i = get_global_id(0);
  struct item items[6];
  uint v = in[i];
  for (int k = 0; k < 6; k++) {
    items[k].key = (ushort)(v >> (k * 2));
    items[k].kind = (uchar)(v >> k);
    items[k].weight = v ^ k;
    v = v * 69069u + 1u;
  }
  for (int k = 1; k < 6; k++) {
    struct item t = items[k];
    int j = k;
    while (j > 0 && items[j - 1].key > t.key) {
      items[j] = items[j - 1];
      j--;
    }
    items[j] = t;
  }
  uint s = 0;
  for (int k = 0; k < 6; k++) {
    struct item *p = &items[k];
    s = s * 31 + p->key + (p->kind & 3 ? p->weight : (*p).kind);
  }
  out[i] = s;
}
