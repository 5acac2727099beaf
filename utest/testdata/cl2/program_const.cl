// Const program-scope variables without an address space: in OpenCL C 2.0 they are in __global.
// run: -k scoped -g 40 --cl-std 2.0 b:float:60:rand,4 b:float:40
// sum: 0 bbd9e5b4f7ab102f
// sum: 1 63e1a50c7e482344
typedef struct { int n; float w[3]; } filter_t;
const float taps[5] = { 1, 2, 3, 4, 5 };
static const filter_t filters[2] = { { 2, { 1, 2 } }, { 3, { 4, 5, 6 } } };
const int count = 5;
const uint2 pairs[] = { (uint2)(1, 2), { 3, 4 } };
float total(global const float *v, int n) { float s = 0; for (int i = 0; i < n; i++) s = s * 2 + v[i]; return s; }
float first(global const float *v) { return v[0]; }
__kernel void scoped(__global const float *in, __global float *out) {
  size_t i = get_global_id(0);
  global const filter_t *f = &filters[i & 1];
  out[i] = taps[i % count] + total(taps, i % 6) + total(f->w, f->n) + total(in + i, 2) + first(taps + 2) + pairs[i & 1].y;
}

// run: -k any -g 40 --cl-std 2.0 b:float:60:rand,4 b:float:40
// sum: 0 bbd9e5b4f7ab102f
// sum: 1 66fbfa572733fa83 the driver has no generic address space
float most(const float *v, int n) { float m = v[0]; for (int i = 1; i < n; i++) m = max(m * 0.75f, v[i]); return m; }
__kernel void any(__global const float *in, __global float *out) {
  size_t i = get_global_id(0);
  float own[4] = { 4, in[i] * 6, 2 };
  const float *chosen = in + i;
  if (i % 3 == 0) chosen = taps + 1;
  else if (i % 3 == 1) chosen = own;
  out[i] = most(chosen, 3) + most(filters[i & 1].w, 3) + most(taps, count);
}
