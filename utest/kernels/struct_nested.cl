// Nested structs, arrays in structs, struct assignment, initializers, pointers to members.
// run: -k struct_nested -g 1000 b:int:1000:rand,67,-100,100 b:int:3000
// sum: 0 15eefdd963553765
// sum: 1 d0136d115d440a76
typedef struct {
  int x, y;
} point;
typedef struct box {
  point lo, hi;
  short tags[3];
  struct {
    uchar r, g;
  } color;
} box;
int area(const box *b) { return (b->hi.x - b->lo.x) * (b->hi.y - b->lo.y); }
box grow(box b, int by) {
  b.lo.x -= by;
  b.lo.y -= by;
  b.hi = (point){b.hi.x + by, b.hi.y + by};
  b.tags[by & 1]++;
  return b;
}
__kernel void struct_nested(__global const int *in, __global int *out) {
  int i = get_global_id(0);
  int v = in[i];
  box b = {{v, v / 2}, {v + 10, v + 20}, {1, 2, 3}, {7, 9}};
  box c = b;
  if (v > 0)
    c = grow(b, v & 7);
  point *p = v & 1 ? &c.lo : &c.hi;
  p->x += 3;
  int *y = &p->y;
  *y *= 2;
  c.tags[2] = (short)(v * 3);
  c.color.g += 250;
  out[3 * i] = area(&c) + area(&b);
  out[3 * i + 1] = c.tags[0] + 10 * c.tags[1] + 100 * c.tags[2];
  out[3 * i + 2] = c.color.r * 1000 + c.color.g;
}
