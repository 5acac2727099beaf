// Functions that move halves between lanes keep all bits, also those of signaling NaNs.
// run: -k moves -g 32 -l 32 b:ushort:128:rand,7 b:ushort:640
// sum: 1 9a316c4b13810125 the interpreter's: the driver has no sub-groups
#pragma OPENCL EXTENSION cl_khr_fp16 : enable

kernel void moves(global half4 *in, global ushort4 *out) {
  int i = get_global_id(0), n = get_global_size(0);
  half4 x = in[i];
  half4 nan = as_half4(as_ushort4(x) & (ushort)0x83ff | (ushort)0x7c01);
  uint lane = get_sub_group_local_id();
  half4 own = sub_group_shuffle(nan, lane);
  half4 first = sub_group_broadcast_first((half4)(nan.x, nan.x, nan.x, nan.x));
  out[i] = as_ushort4(own) ^ as_ushort4(nan);
  out[n + i] = as_ushort4(sub_group_shuffle(own, lane)) ^ as_ushort4(nan);
  out[2 * n + i] = as_ushort4(sub_group_rotate(sub_group_rotate(nan, 1), -1)) ^ as_ushort4(nan);
  out[3 * n + i] = as_ushort4(first) & (ushort)0x7c01;
  out[4 * n + i] = as_ushort4((half4)(work_group_broadcast(as_half((ushort)0x7d23), 0)));
}
