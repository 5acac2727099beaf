// Nearest hit of a ray among spheres, float4 data, with a shading branch.
// run: -k ray_sphere -g 40,25 b:float4:8:rand,228,-1,1 b:float4:1000 int:8
// sum: 0 80a85f7aab17d134
// sum: 1 6668382989d2be1b
__kernel void ray_sphere(__global const float4 *balls, __global float4 *image, int n) {
  int x = get_global_id(0), y = get_global_id(1), w = get_global_size(0), h = get_global_size(1);
  float3 d = (float3)((float)x / (float)w - 0.5f, (float)y / (float)h - 0.5f, 1.0f);
  d /= sqrt(d.x * d.x + d.y * d.y + d.z * d.z);
  float3 o = (float3)(0.0f, 0.0f, -3.0f);
  float best = 1e30f;
  int who = -1;
  for (int k = 0; k < n; k++) {
    float4 ball = balls[k];
    float3 oc = o - ball.xyz;
    float b = oc.x * d.x + oc.y * d.y + oc.z * d.z;
    float c = oc.x * oc.x + oc.y * oc.y + oc.z * oc.z - ball.w * ball.w * 0.25f;
    float disc = b * b - c;
    if (disc < 0.0f)
      continue;
    float root = sqrt(disc), t = -b - root;
    if (t < 0.001f)
      t = -b + root;
    if (t > 0.001f && t < best) {
      best = t;
      who = k;
    }
  }
  float4 color = (float4)(0.1f, 0.2f, 0.3f, 0.0f);
  if (who >= 0) {
    float3 p = o + d * best;
    float3 normal = (p - balls[who].xyz) / (fabs(balls[who].w) * 0.5f);
    float light = fmax(0.0f, normal.x * 0.5f - normal.y * 0.7f - normal.z * 0.5f);
    color = (float4)(normal * 0.5f + 0.5f, light);
  }
  image[y * w + x] = color;
}
// bench: -k ray_sphere -g 640,400 b:float4:8:rand,228,-1,1 b:float4:256000 int:8
// sum: 0 80a85f7aab17d134
// sum: 1 39fb2878205442f9
