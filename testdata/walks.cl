// Two kernels for which scalar and vector code take similar time, as gathers dominate. Each launch adds
// to the previous result, so that work done twice or not at all shows.

__kernel void walk(__global const uint *next, __global uint *out) {
  uint i = get_global_linear_id(), at = i, s = 0;
  for (uint k = 0; k < (i & 31) + 8; k++) {
    at = next[at];
    s = s * 31 + at;
  }
  out[i] += s;
}

__kernel void walk_groups(__global const uint *next, __global uint *out) {
  __local uint shared[64];
  uint i = get_global_linear_id(), n = get_local_size(0), l = get_local_id(0), at = i, s = 0;
  for (uint k = 0; k < (i & 31) + 8; k++) {
    at = next[at];
    s = s * 31 + at;
  }
  shared[l] = s;
  barrier(CLK_LOCAL_MEM_FENCE);
  out[i] += shared[(l + 1) % n];
}
