// Kernels whose accesses are contiguous along different dimensions, with all work-item functions.
// run: -k columns -g 37,53 --offset 3,5 b:int:2500:zero b:int:2500:rand,1,0,99 int:58 int:40
// sum: 0 5c9b3e67607621d8 the interpreter's: no driver was at hand
// sum: 1 4b0d3abd0062c117 the interpreter's: no driver was at hand
// run: -k tiles -g 34,21 -l 4,8 b:int:714:zero b:int:714:rand,2,0,99
// sum: 0 128ce5cb1a53c24c the interpreter's: no driver was at hand
// sum: 1 d69a9d8a25f547dd the interpreter's: no driver was at hand
// run: -k tiles -g 2,70 -l 1,33 b:int:714:zero b:int:714:rand,3,0,99
// sum: 0 14c3c679622666bc the interpreter's: no driver was at hand
// sum: 1 bffb2d9303834567 the interpreter's: no driver was at hand
// run: -k places -g 5,6,20 -l 2,3,7 --offset 1,2,3 b:long:600:zero
// sum: 0 3cdf68b3b7aebfcf the interpreter's: no driver was at hand
// run: -k shares -g 3,40 -l 1,20 b:int:120:zero b:int:120:rand,5,0,9
// sum: 0 794a91f7fedb319f the interpreter's: no driver was at hand
// sum: 1 227c2a2765ca1707 the interpreter's: no driver was at hand
// run: -k required -g 8,64 -l 2,16 b:int:512:zero b:int:512:rand,6,0,9
// sum: 0 0d249ea3916dfea8 the interpreter's: no driver was at hand
// sum: 1 17a1fe69a8bf0ca9 the interpreter's: no driver was at hand
// run: -k squares -g 16,24 -l 8,8 --offset 2,1 b:int:384:zero b:int:384:rand,7,0,99
// sum: 0 c62ae915d3afea98 the interpreter's: no driver was at hand
// sum: 1 1749447132dcc3cc the interpreter's: no driver was at hand
// run: -k squares -g 12,8 -l 4,4 b:int:96:zero b:int:96:rand,8,0,99
// sum: 0 95cc4d02d4b48803 the interpreter's: no driver was at hand
// sum: 1 e4703dafbf012063 the interpreter's: no driver was at hand
// run: -k squares -g 8,32,2 -l 2,16,2 b:int:512:zero b:int:512:rand,9,0,99
// sum: 0 7489ca8fc69c8b9c the interpreter's: no driver was at hand
// sum: 1 a25a47bd983bc3c9 the interpreter's: no driver was at hand
// run: -k squares -g 10,6 -l 4,3 b:int:60:zero b:int:60:rand,9,0,99
// sum: 0 e0aca1d5737776d8 the interpreter's: no driver was at hand
// sum: 1 9c3f380179908678 the interpreter's: no driver was at hand
#pragma OPENCL EXTENSION cl_khr_global_int32_base_atomics : enable

// Contiguous along dimension 1, with branches that differ along both.
__kernel void columns(__global int *out, __global const int *in, int w, int h) {
  int y = get_global_id(0), x = get_global_id(1);
  if (x >= w - 1 || y < 4) return;
  int s = 0;
  for (int k = 0; k < x % 5 + y % 3; k++) s += in[y * w + x + k % 2 - 1] * (k + 1);
  if ((x ^ y) & 1) s -= in[y * w + x];
  out[y * w + x] = s;
}

// Barriers between a transposition in local memory, in groups that do not divide the range.
__kernel void tiles(__global int *out, __global const int *in) {
  __local int tile[64];
  int x = get_local_id(0), y = get_local_id(1), n = get_local_size(0), m = get_local_size(1);
  int at = get_global_id(0) * get_global_size(1) + get_global_id(1);
  tile[x * m + y] = in[at];
  barrier(CLK_LOCAL_MEM_FENCE);
  int s = tile[(n - 1 - x) * m + (y + 1) % m];
  barrier(CLK_LOCAL_MEM_FENCE);
  tile[(x * m + y + 5) % (n * m)] = s + x;
  barrier(CLK_LOCAL_MEM_FENCE);
  out[at] = s * 1000 + tile[y * n + x];
}

// Every work-item function.
__kernel void places(__global long *out) {
  long p = get_work_dim();
  for (uint d = 0; d < 4; d++) {
    p = p * 31 + get_global_id(d) * 2 + get_local_id(d);
    p = p * 31 + get_group_id(d) * 3 + get_num_groups(d);
    p = p * 31 + get_global_size(d) + get_local_size(d) + get_global_offset(d);
  }
  size_t x = get_global_id(0) - 1, y = get_global_id(1) - 2, z = get_global_id(2) - 3;
  out[(x * 6 + y) * 20 + z] = p;
}

// Atomic sums in local memory of groups of one row.
__kernel void shares(__global int *out, __global const int *in) {
  __local int sum;
  if (get_local_id(1) == 0) sum = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  int at = get_global_id(0) * get_global_size(1) + get_global_id(1);
  atomic_add(&sum, in[at]);
  barrier(CLK_LOCAL_MEM_FENCE);
  out[at] = sum * 10 + in[at];
}

// The required size makes bounds of ids known.
__kernel __attribute__((reqd_work_group_size(2, 16, 1))) void required(__global int *out, __global const int *in) {
  int l = get_local_id(0) * 16 + get_local_id(1), at = get_global_id(0) * 64 + get_global_id(1);
  out[at] = in[at] * (l & 31) + in[at ^ 1] + get_local_size(1) * 7;
}

// Rows of a work-group that fill no lanes: local memory along rows and columns, divergent loops.
__kernel void squares(__global int *out, __global const int *in) {
  __local int tile[256];
  int x = get_local_id(0), y = get_local_id(1) + get_local_id(2) * get_local_size(1), n = get_local_size(0);
  int w = get_global_size(0), h = get_global_size(1);
  int px = get_global_id(0) - get_global_offset(0), py = get_global_id(1) - get_global_offset(1);
  int at = (get_global_id(2) * h + py) * w + px;
  tile[y * n + x] = in[at];
  barrier(CLK_LOCAL_MEM_FENCE);
  int s = tile[y * n] - tile[x] + in[at / w * w + (px ^ 1) % w];
  for (int k = 0; k < (x ^ y); k++) s = s * 3 + tile[y * n + (x + k) % n];
  barrier(CLK_LOCAL_MEM_FENCE);
  tile[y * n + x] = s;
  barrier(CLK_LOCAL_MEM_FENCE);
  if (py + 1 < h && x > 0) s += tile[y * n + x - 1] + (int)get_group_id(0) * 5 + (int)get_num_groups(1);
  out[at] = s + (int)get_global_id(1);
}
