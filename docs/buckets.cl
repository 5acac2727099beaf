__kernel void buckets(__global const uint *key, __global uint *count) {
  atomic_inc(&count[key[get_global_id(0)]]);
}
