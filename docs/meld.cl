__kernel void curve(__global float *a, __global const float *table, float knee) {
  int i = get_global_id(0);
  float x = a[i];
  if (x > knee) {
    x = sqrt(x / 3.0f);
    if (x > 0.25f) x += table[(int)(x * 64) & 63];
  } else {
    x = sqrt(x / 5.0f);
    if (x > 0.75f) x += table[(int)(x * 16) & 63];
  }
  a[i] = x;
}
