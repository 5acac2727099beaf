// Ambient occlusion with three spheres and a plane: structs behind private pointers, early returns, a random number generator per work-item.
// run: -k aobench -g 16,12 b:float:192 int:2
// sum: 0 c99d721e0d73bd85
// bench: -k aobench -g 512,384 b:float:512*384 int:4
// sum: 0 a8fc840b8c1d4db5
typedef struct {
  float x, y, z;
} vec;
typedef struct {
  vec center;
  float radius;
} sphere;
typedef struct {
  vec p, n;
} plane;
typedef struct {
  vec org, dir;
} ray;
typedef struct {
  float t;
  vec p, n;
  int hit;
} isect;
__constant sphere spheres[3] = {{{-2.0f, 0.0f, -3.5f}, 0.5f}, {{-0.5f, 0.0f, -3.0f}, 0.5f}, {{1.0f, 0.0f, -2.2f}, 0.5f}};
__constant plane ground = {{0.0f, -0.5f, 0.0f}, {0.0f, 1.0f, 0.0f}};
float vdot(const vec *a, const vec *b) { return a->x * b->x + a->y * b->y + a->z * b->z; }
void vcross(vec *c, const vec *a, const vec *b) {
  c->x = a->y * b->z - a->z * b->y;
  c->y = a->z * b->x - a->x * b->z;
  c->z = a->x * b->y - a->y * b->x;
}
void vnormalize(vec *v) {
  float len = sqrt(vdot(v, v));
  if (len > 1.0e-17f) {
    v->x /= len;
    v->y /= len;
    v->z /= len;
  }
}
void hit_sphere(isect *s, const ray *r, sphere ball) {
  vec rs = {r->org.x - ball.center.x, r->org.y - ball.center.y, r->org.z - ball.center.z};
  float b = vdot(&rs, &r->dir);
  float c = vdot(&rs, &rs) - ball.radius * ball.radius;
  float d = b * b - c;
  if (d <= 0.0f)
    return;
  float t = -b - sqrt(d);
  if (t <= 0.0f || t >= s->t)
    return;
  s->t = t;
  s->hit = 1;
  s->p.x = r->org.x + r->dir.x * t;
  s->p.y = r->org.y + r->dir.y * t;
  s->p.z = r->org.z + r->dir.z * t;
  s->n.x = s->p.x - ball.center.x;
  s->n.y = s->p.y - ball.center.y;
  s->n.z = s->p.z - ball.center.z;
  vnormalize(&s->n);
}
void hit_plane(isect *s, const ray *r, plane g) {
  float d = -vdot(&g.p, &g.n);
  float v = vdot(&r->dir, &g.n);
  if (fabs(v) < 1.0e-6f)
    return;
  float t = -(vdot(&r->org, &g.n) + d) / v;
  if (t > 0.0f && t < s->t) {
    s->t = t;
    s->hit = 1;
    s->p.x = r->org.x + r->dir.x * t;
    s->p.y = r->org.y + r->dir.y * t;
    s->p.z = r->org.z + r->dir.z * t;
    s->n = g.n;
  }
}
void trace(isect *s, const ray *r) {
  s->t = 1.0e17f;
  s->hit = 0;
  for (int k = 0; k < 3; k++)
    hit_sphere(s, r, spheres[k]);
  hit_plane(s, r, ground);
}
void basis(vec *b, vec n) {
  b[2] = n;
  b[1].x = b[1].y = b[1].z = 0.0f;
  if (n.x < 0.6f && n.x > -0.6f)
    b[1].x = 1.0f;
  else if (n.y < 0.6f && n.y > -0.6f)
    b[1].y = 1.0f;
  else
    b[1].z = 1.0f;
  vcross(&b[0], &b[1], &b[2]);
  vnormalize(&b[0]);
  vcross(&b[1], &b[2], &b[0]);
  vnormalize(&b[1]);
}
float uniform_random(uint *state) {
  *state = *state * 1664525u + 1013904223u;
  return (float)(*state >> 8) * (1.0f / 16777216.0f);
}
float occlusion(isect *s, int n, uint *seed) {
  vec b[3];
  vec p = {s->p.x + 0.0001f * s->n.x, s->p.y + 0.0001f * s->n.y, s->p.z + 0.0001f * s->n.z};
  basis(b, s->n);
  float blocked = 0.0f;
  for (int k = 0; k < n * n; k++) {
    float u, v, q;
    do {
      u = 2.0f * uniform_random(seed) - 1.0f;
      v = 2.0f * uniform_random(seed) - 1.0f;
      q = u * u + v * v;
    } while (q >= 1.0f);
    float w = sqrt(1.0f - q);
    ray r;
    r.org = p;
    r.dir.x = u * b[0].x + v * b[1].x + w * b[2].x;
    r.dir.y = u * b[0].y + v * b[1].y + w * b[2].y;
    r.dir.z = u * b[0].z + v * b[1].z + w * b[2].z;
    isect o;
    trace(&o, &r);
    if (o.hit)
      blocked += 1.0f;
  }
  return ((float)(n * n) - blocked) / (float)(n * n);
}
__kernel void aobench(__global float *image, int samples) {
  int x = get_global_id(0), y = get_global_id(1), w = get_global_size(0), h = get_global_size(1);
  uint seed = (uint)(y * w + x) * 2654435761u;
  ray r;
  r.org.x = r.org.y = r.org.z = 0.0f;
  r.dir.x = ((float)x - 0.5f * (float)w) / (0.5f * (float)w);
  r.dir.y = -((float)y - 0.5f * (float)h) / (0.5f * (float)h);
  r.dir.z = -1.0f;
  vnormalize(&r.dir);
  isect s;
  trace(&s, &r);
  image[y * w + x] = s.hit ? occlusion(&s, samples, &seed) : 0.0f;
}
