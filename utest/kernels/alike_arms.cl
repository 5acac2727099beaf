// Both arms of a divergent branch have the same branches and a loop, with different
// constants: they can be melded.
//
// run: -k alike -g 1000 b:float:1000:rand,71,-2,2 b:float:64:rand,72 float:0.5
// sum: 0 b8d3fbbe5344de6c
// run: -k alike_loops -g 1000 b:uint:1000:rand,73 b:uint:64:rand,74
// sum: 0 e4171d9fd10eacb9
kernel void alike(global float *a, global const float *table, float knee) {
  size_t i = get_global_id(0);
  float x = a[i];
  if (x > knee) {
    x = x + 0.125f;
    if (x > 0.25f) x += table[(int)(x * 64) & 63];
    a[i] = x;
  } else {
    x = x + 0.75f;
    if (x > 0.75f) x += table[(int)(x * 64) & 63];
    a[i] = x;
  }
}

kernel void alike_loops(global uint *a, global const uint *table) {
  size_t i = get_global_id(0);
  uint x = a[i], n = x % 7, h = 0;
  if (x >> 31) {
    for (uint k = 0; k < n; k++) {
      h = h * 31 + table[(x + k) & 63];
      if (h & 4) h ^= table[(h >> 9) & 63];
    }
    a[i] = h + 1;
  } else {
    for (uint k = 0; k < n; k++) {
      h = h * 33 + table[(x + k) & 31];
      if (h & 4) h ^= table[(h >> 7) & 63];
    }
    a[i] = h + 2;
  }
}
