// Particles as an array of structs: strided loads and stores, bouncing by branch.
// run: -k aos_update -g 500 b:float:4000:rand,238,-1,1 float:0.125
// sum: 0 4528cbbfabb578e8
typedef struct {
  float x, y, z, mass, vx, vy, vz, age;
} particle;
__kernel void aos_update(__global particle *all, float dt) {
  __global particle *p = &all[get_global_id(0)];
  float x = p->x + p->vx * dt, y = p->y + p->vy * dt;
  if (x < -0.75f || x > 0.75f) {
    p->vx = -p->vx;
    x = x < 0.0f ? -0.75f : 0.75f;
  }
  if (y < 0.0f) {
    p->vy = p->vy * -0.5f;
    y = -y;
  } else
    p->vy -= 9.75f * dt;
  p->x = x;
  p->y = y;
  p->z += p->vz * dt;
  p->age += dt;
}
