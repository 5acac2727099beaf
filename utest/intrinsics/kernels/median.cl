// The median of 3 x 3 bytes by a sorting network; by hand 64 at once.
// run: -k median -g 2048,1024 b:uchar:2050*1027:rand,7 b:uchar:2050*1026 int:2050
#define SORT(a, b) { uchar t = min(a, b); b = max(a, b); a = t; }
__kernel void median(__global const uchar *in, __global uchar *out, int w) {
  int at = get_global_id(1) * w + get_global_id(0);
  __global const uchar *p = in + at;
  uchar a = p[0], b = p[1], c = p[2], d = p[w], e = p[w + 1], f = p[w + 2], g = p[2 * w], h = p[2 * w + 1], i = p[2 * w + 2];
  SORT(b, c) SORT(e, f) SORT(h, i) SORT(a, b) SORT(d, e) SORT(g, h) SORT(b, c) SORT(e, f) SORT(h, i) SORT(a, d)
  SORT(f, i) SORT(e, h) SORT(d, g) SORT(b, e) SORT(c, f) SORT(e, h) SORT(e, c) SORT(g, e) SORT(e, c)
  out[at] = e;
}
