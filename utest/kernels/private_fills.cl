// Private arrays of all sizes cleared or filled by loops, then read in another order.
// run: -k private_fills -g 100 b:uint:100 int:3
// sum: 0 b2d119aabddbd9bf
__kernel void private_fills(__global uint *out, int v) {
  int id = get_global_id(0);
  uchar a[100]; short b[37]; int c[20]; double d[9]; float e[50]; char g[3]; long h[70];
  for (int i = 0; i < 100; i++) a[i] = 7;
  for (int i = 0; i < 37; i++) b[i] = v;
  for (int i = 0; i < 20; i++) { c[i] = id; e[i] = 2.5f; }
  for (uint i = 20; i < 50; i++) e[i] = id;
  for (int i = 0; i < 9; i++) d[i] = v * 0.5;
  for (int i = 0; i < 3; i++) g[i] = -1;
  for (size_t i = 0; i < 70; i++) h[i] = id * 1000L;
  for (int i = 5; i < 31; i++) a[i] = id;
  uint r = 0;
  for (int i = 0; i < 100; i++) r = r * 31 + a[(i * 7 + id) % 100];
  for (int i = 0; i < 37; i++) r = r * 31 + b[(i * 5 + id) % 37];
  for (int i = 0; i < 20; i++) r = r * 31 + c[(i * 3 + id) % 20];
  for (int i = 0; i < 50; i++) r = r * 31 + (uint)e[(i * 3 + id) % 50];
  for (int i = 0; i < 9; i++) r = r * 31 + (uint)(d[(i * 2 + id) % 9] * 4);
  for (int i = 0; i < 3; i++) r = r * 31 + g[(i + id) % 3];
  for (int i = 0; i < 70; i++) r = r * 31 + h[(i * 3 + id) % 70];
  out[id] = r;
}
