// The gravity of all bodies on each; by hand two vectors at once.
// run: -k nbody -g 2048 b:float4:2048:rand,3,-1,1 b:float4:2048 int:2048
__kernel void nbody(__global const float4 *p, __global float4 *f, int n) {
  int i = get_global_id(0);
  float4 me = p[i], sum = (float4)(0);
  for (int j = 0; j < n; j++) {
    float4 d = p[j] - me;
    float inv = 1.0f / sqrt(d.x * d.x + d.y * d.y + d.z * d.z + 0.01f);
    float k = p[j].w * inv * inv * inv;
    sum.x += d.x * k;
    sum.y += d.y * k;
    sum.z += d.z * k;
  }
  f[i] = sum;
}
