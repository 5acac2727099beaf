// Histograms of bytes by work-groups: atomic increments in local memory, one row of counts per group.
// run: -k histogram_local -g 192 -l 64 b:uchar:192*16:rand,327 b:uint:256*3
// sum: 0 99c1c561b5601450
// sum: 1 8ef0ab21e7379f3d
// bench: -k histogram_local -g 131072 -l 256 b:uchar:131072*16:rand,327 b:uint:256*512
// sum: 0 9648c8a9870a3c8c
// sum: 1 241be5160a621969
__kernel void histogram_local(__global const uchar *in, __global uint *counts) {
  __local uint bins[256];
  int l = get_local_id(0), n = get_local_size(0), total = get_global_size(0);
  for (int b = l; b < 256; b += n)
    bins[b] = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int k = 0; k < 16; k++)
    atomic_inc(&bins[in[k * total + get_global_id(0)]]);
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int b = l; b < 256; b += n)
    counts[get_group_id(0) * 256 + b] = bins[b];
}
