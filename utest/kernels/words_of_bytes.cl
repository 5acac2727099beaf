// Words assembled from bytes at int subscripts.
// run: -k words_of_bytes -g 200 b:uchar:12800:rand,9 b:uint:200
// sum: 0 eacca0f763e1f85d
// sum: 1 41d5ba69697d5d1d
__kernel void words_of_bytes(__global const uchar *m, __global uint *out) {
  int i = get_global_id(0);
  uint h = 7;
  for (int k = 0; k < 12; k++) {
    int b = i * 63 + k * 5;
    uint w = m[b] | m[b + 1] << 8 | m[b + 2] << 16 | m[b + 3] << 24;
    h = (h ^ w) * 16777619u;
  }
  out[i] = h;
}
