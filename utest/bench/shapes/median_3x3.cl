// The median of 3x3 bytes by a sorting network, with clamped borders.
// run: -k median_3x3 -g 35,14 b:uchar:35*14:rand,322 b:uchar:35*14
// sum: 0 84421374d98c27e2
// sum: 1 233ca742a0a42da5
// bench: -k median_3x3 -g 1024,1024 b:uchar:1024*1024:rand,322 b:uchar:1024*1024
// sum: 0 3d4fa32ab9a67c0f
// sum: 1 e6f7c6be0d7f42ae
#define SORT(a, b)                                                                                       \
  do {                                                                                                   \
    uchar low = min(v[a], v[b]);                                                                         \
    v[b] = max(v[a], v[b]);                                                                              \
    v[a] = low;                                                                                          \
  } while (0)
__kernel void median_3x3(__global const uchar *in, __global uchar *out) {
  int x = get_global_id(0), y = get_global_id(1), w = get_global_size(0), h = get_global_size(1);
  uchar v[9];
  for (int dy = -1; dy <= 1; dy++)
    for (int dx = -1; dx <= 1; dx++)
      v[(dy + 1) * 3 + dx + 1] = in[clamp(y + dy, 0, h - 1) * w + clamp(x + dx, 0, w - 1)];
  // Sort each row of three, then combine the largest minimum, the median of the medians and
  // the smallest maximum.
  for (int r = 0; r < 9; r += 3) {
    SORT(r, r + 1);
    SORT(r + 1, r + 2);
    SORT(r, r + 1);
  }
  uchar low = max(v[0], max(v[3], v[6]));
  uchar high = min(v[2], min(v[5], v[8]));
  uchar middle = max(min(v[1], v[4]), min(max(v[1], v[4]), v[7]));
  out[y * w + x] = max(min(low, middle), min(max(low, middle), high));
}
