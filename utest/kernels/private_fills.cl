// Private arrays of all sizes cleared, filled or numbered by loops, then read in another order.
// run: -k private_fills -g 100 b:uint:100 int:3
// sum: 0 ff13a3c72fc9bc53
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
  uchar p[33]; ushort q[7]; int s[41]; ulong t[12]; char u[3];
  for (int i = 0; i <= 32; i++) p[i] = i;
  for (int i = 0; i < 7; i++) q[i] = i + 65533;
  for (int i = 0; i < 41; i++) s[i] = i - 20;
  for (uint i = 2; i < 12; i++) t[i] = i;
  for (int i = 0; i < 3; i++) u[i] = i + 126;
  t[0] = t[1] = id;
  uint r = 0;
  for (int i = 0; i < 100; i++) r = r * 31 + a[(i * 7 + id) % 100];
  for (int i = 0; i < 37; i++) r = r * 31 + b[(i * 5 + id) % 37];
  for (int i = 0; i < 20; i++) r = r * 31 + c[(i * 3 + id) % 20];
  for (int i = 0; i < 50; i++) r = r * 31 + (uint)e[(i * 3 + id) % 50];
  for (int i = 0; i < 9; i++) r = r * 31 + (uint)(d[(i * 2 + id) % 9] * 4);
  for (int i = 0; i < 3; i++) r = r * 31 + g[(i + id) % 3];
  for (int i = 0; i < 70; i++) r = r * 31 + h[(i * 3 + id) % 70];
  for (int i = 0; i < 33; i++) r = r * 31 + p[(i * 5 + id) % 33];
  for (int i = 0; i < 7; i++) r = r * 31 + q[(i * 3 + id) % 7];
  for (int i = 0; i < 41; i++) r = r * 31 + s[(i * 3 + id) % 41];
  for (int i = 0; i < 12; i++) r = r * 31 + t[(i * 5 + id) % 12];
  for (int i = 0; i < 3; i++) r = r * 31 + u[(i + id) % 3];
  out[id] = r;
}
