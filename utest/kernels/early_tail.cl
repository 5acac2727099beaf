// The usual guard for a rounded-up range, with the count passed by value.
// run: -k early_tail -g 1024 b:float:1000:rand,1 b:float:1000 uint:1000 float:2.5
// sum: 0 69d5201f305c538f
// sum: 1 9ad1c3e4b1dbeb5b
// run: -k early_tail -g 64 b:float:7:rand,1 b:float:7 uint:7 float:-0.5
// sum: 0 00b81a681a0a7a89
// sum: 1 d192759582fded8a
// run: -k early_tail -g 64 b:float:1:rand,1 b:float:1 uint:1 float:-0.5
// sum: 0 3f89917619fa0e73
// sum: 1 413c11761b6ac973
__kernel void early_tail(__global const float *in, __global float *out, uint n, float scale) {
  uint i = get_global_id(0);
  if (i >= n)
    return;
  out[i] = in[i] * scale;
}
