// One step of an all-pairs simulation: a uniform loop over uniform loads, square root and division.
// run: -k nbody -g 100 b:float4:100:rand,214,-1,1 b:float4:100:rand,215,-1,1 b:float4:100 b:float4:100 int:100 float:0.01
// sum: 0 4358acdc891d257c
// sum: 1 8671056e64102045
// sum: 2 cc9214a91acb1659
// sum: 3 8808faa68989f8b3
// bench: -k nbody -g 4096 b:float4:4096:rand,214,-1,1 b:float4:4096:rand,215,-1,1 b:float4:4096 b:float4:4096 int:4096 float:0.01
// sum: 0 aabf50d83220d3cd
// sum: 1 6a4181d58e0e6465
// sum: 2 509cc7c8c3fb28dc
// sum: 3 382b1716c2f6ea3b
__kernel void nbody(__global const float4 *pos, __global const float4 *vel, __global float4 *pos2, __global float4 *vel2, int n, float dt) {
  int i = get_global_id(0);
  float4 p = pos[i], v = vel[i];
  float ax = 0.0f, ay = 0.0f, az = 0.0f;
  for (int j = 0; j < n; j++) {
    float4 q = pos[j];
    float dx = q.x - p.x, dy = q.y - p.y, dz = q.z - p.z;
    float r2 = dx * dx + dy * dy + dz * dz + 0.01f;
    float inv = 1.0f / sqrt(r2);
    float s = fabs(q.w) * inv * inv * inv;
    ax += dx * s;
    ay += dy * s;
    az += dz * s;
  }
  v.x += ax * dt;
  v.y += ay * dt;
  v.z += az * dt;
  p.xyz += v.xyz * dt;
  pos2[i] = p;
  vel2[i] = v;
}
