// The divergent exit is in the loop header; a uniform counter becomes varying outside.
// run: -k temporal_header -g 1000 b:uint:1000:rand,11,1,60 b:uint:1000 b:uint:1000
// sum: 0 4cb774f65d9e3807
// sum: 1 4cb774f65d9e3807
// sum: 2 4e4936c23b749d05
__kernel void temporal_header(__global const uint *in, __global uint *out, __global uint *out2) {
  uint i = get_global_id(0);
  uint k = 0, acc = 1;
  while (k < in[i]) {
    k++;
    acc = acc * 3 + 1;
  }
  out[i] = k;
  out2[i] = acc + out[i];
}
