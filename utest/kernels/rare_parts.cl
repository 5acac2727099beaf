// A heavy region that few work-items need, selected by loaded data, with pointers, flags, wide numbers and a private array, in rows.
// run: -k rare_parts -g 70,3 b:uint:210:rand,41 b:short:400:rand,42 b:short:400:rand,43 b:ulong:210 b:double:210
// sum: 0 70437cef95831c67
// sum: 1 dff7fea3a347e0ce
// sum: 2 b331b917be900bdb
// sum: 3 9d6b664fbc290231
// sum: 4 73c6b55c634465ec
// run: -k rare_parts -g 517 b:uint:517:rand,44,0,40 b:short:1000:rand,45 b:short:1000:rand,46 b:ulong:517 b:double:517
// sum: 0 a1300c199ed0e4d3
// sum: 1 bf186406a3453a54
// sum: 2 6577d49e7901c38c
// sum: 3 7829fa0d3fc6e0bf
// sum: 4 3dfd31133e392f31
__kernel void rare_parts(__global const uint *key, __global const short *a, __global const short *b, __global ulong *out,
                         __global double *weight) {
  size_t x = get_global_id(0), at = get_global_id(1) * get_global_size(0) + x;
  uint k = key[at];
  __global const short *from = k & 1 ? a : b;
  bool big = k > 1000;
  ulong sum = (ulong)k << 20;
  double w = k * 0.25;
  if ((k & 31) == 3) {
    int seen[5];
    for (int j = 0; j < 5; j++)
      seen[j] = from[x + j];
    for (uint j = 0; j < (k >> 3) % 23; j++) {
      seen[j % 5] += from[(x + j * 3) % 400] * (big ? 3 : 1);
      w = w * 0.5 + seen[(j + 2) % 5];
    }
    for (int j = 0; j < 5; j++)
      sum = sum * 31 + (ulong)seen[j];
    if (big && w > 100.0) {
      out[at] = ~sum;
      return;
    }
  }
  out[at] = sum;
  weight[at] = w;
}
