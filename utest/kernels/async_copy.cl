// Copies by a work-group, in both directions, of all element types, and
// events in variables, arrays and functions.
// run: -k copies -g 100 -l 25 b:float:160:zero b:float:160:rand,5,-2,2 b:ushort:256:index
// sum: 0 a027669af6be0430
// sum: 1 85b0a32d216523bb
// sum: 2 542ebe832140f004
#define TILE 40

event_t start(__local float4 *to, __global const float4 *from, event_t e) {
  return async_work_group_copy(to, from, TILE / 4, e);
}

__kernel void copies(__global float *out, __global const float *in, __global ushort *words) {
  __local float4 a[TILE / 4];
  __local float b[TILE];
  __local float3 c[8];
  __local ushort w[16];
  size_t g = get_group_id(0), l = get_local_id(0);
  __global const float *from = in + g * TILE;
  event_t e[2], done = 0;
  e[0] = start(a, (__global const float4 *)from, (event_t)0);
  e[1] = async_work_group_copy(b, from, TILE, 0);
  prefetch(from, TILE);
  wait_group_events(2, e);
  if (l < 8) c[l] = a[l].xyz + b[39 - l];
  barrier(CLK_LOCAL_MEM_FENCE);
  done = async_work_group_copy((__global float3 *)(out + g * TILE), c, 8, done);
  wait_group_events(1, &done);
  done = async_work_group_strided_copy(w, words + g * 64, 16, 4, 0);
  wait_group_events(1, &done);
  if (l < 16) w[l] = w[l] * 3 + w[15 - l] * 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  done = async_work_group_strided_copy(words + g * 64 + 1, w, 16, 3, 0);
  wait_group_events(1, &done);
  if (l < 8) out[g * TILE + 4 * l + 3] = l; // not one of the copied components
  if (l < 4) out[g * TILE + 32 + l] = c[l].z + a[9].w;
}
