__kernel void rare(__global const float *in, __global float *out) {
  size_t i = get_global_id(0);
  float x = in[i];
  uint h = as_uint(x) * 2654435761u;
  if (h >> 22 == 0) {
    for (int k = 0; k < 100; k++)
      x = x * 0.5f + native_sin(x);
  }
  out[i] = x;
}
