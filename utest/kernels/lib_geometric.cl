// Every geometric function, of scalars and of 2, 3 and 4 components (OpenCL C 1.2 6.12.5).
// run: -k lib_geometric -g 61 -D T=float -D N= -D FAST b:float:61:rand,6,-4,4 b:float:61:rand,7,-4,4 b:float:122 b:float:366
// sum: 0 215970aeddf42ba3
// sum: 1 1766c4bec9922000
// sum: 2 5b3d8f894b0fdfb5
// sum: 3 6fc250c03f742ea5
// run: -k lib_geometric -g 61 -D T=float -D N=2 -D FAST b:float2:61:rand,6,-4,4 b:float2:61:rand,7,-4,4 b:float2:122 b:float:366
// sum: 0 d0f7bf060392a1dc
// sum: 1 af2d2ef60d20d4e2
// sum: 2 187af6d180cf4ed5
// sum: 3 974b8675a24772e4
// run: -k lib_geometric -g 61 -D T=float -D N=3 -D FAST b:float3:61:rand,6,-4,4 b:float3:61:rand,7,-4,4 b:float3:122 b:float:366
// sum: 0 c576231244c92cc8
// sum: 1 40d17a6ec9f79b49
// sum: 2 04bd7bc799b35cbd
// sum: 3 2a232e1ad085a568
// run: -k lib_geometric -g 61 -D T=float -D N=3 -D CROSS b:float3:61:rand,6,-4,4 b:float3:61:rand,7,-4,4 b:float3:122 b:float:366
// sum: 0 c576231244c92cc8
// sum: 1 40d17a6ec9f79b49
// sum: 2 6623e391de3570a3
// sum: 3 14989255c14ec3ab
// run: -k lib_geometric -g 61 -D T=float -D N=4 -D FAST b:float4:61:rand,6,-4,4 b:float4:61:rand,7,-4,4 b:float4:122 b:float:366
// sum: 0 c576231244c92cc8
// sum: 1 40d17a6ec9f79b49
// sum: 2 b7467cd34039d859
// sum: 3 4bd8933b9fe18713
// run: -k lib_geometric -g 61 -D T=float -D N=4 -D CROSS b:float4:61:rand,6,-4,4 b:float4:61:rand,7,-4,4 b:float4:122 b:float:366
// sum: 0 c576231244c92cc8
// sum: 1 40d17a6ec9f79b49
// sum: 2 21536933098a4c86
// sum: 3 0e637ecee162877c
// run: -k lib_geometric -g 61 -D T=double -D N= b:double:61:rand,6,-4,4 b:double:61:rand,7,-4,4 b:double:122 b:double:366
// sum: 0 70b5e016ecbeba7c
// sum: 1 63da43943d2e80b8
// sum: 2 583a37cdbe711138
// sum: 3 bf7db85fac2791d5
// run: -k lib_geometric -g 61 -D T=double -D N=2 b:double2:61:rand,6,-4,4 b:double2:61:rand,7,-4,4 b:double2:122 b:double:366
// sum: 0 df3ee78dbe31f9d4
// sum: 1 9336e844244a5bb8
// sum: 2 5d885440f10cb054
// sum: 3 d0993ba4f4af7a7a
// run: -k lib_geometric -g 61 -D T=double -D N=3 b:double3:61:rand,6,-4,4 b:double3:61:rand,7,-4,4 b:double3:122 b:double:366
// sum: 0 20feecb8ab182177
// sum: 1 0fda60345102e287
// sum: 2 8b6ad1c0050b6287
// sum: 3 543eb56684082d76
// run: -k lib_geometric -g 61 -D T=double -D N=3 -D CROSS b:double3:61:rand,6,-4,4 b:double3:61:rand,7,-4,4 b:double3:122 b:double:366
// sum: 0 20feecb8ab182177
// sum: 1 0fda60345102e287
// sum: 2 e1702eea9382bc96
// sum: 3 543eb56684082d76
// run: -k lib_geometric -g 61 -D T=double -D N=4 b:double4:61:rand,6,-4,4 b:double4:61:rand,7,-4,4 b:double4:122 b:double:366
// sum: 0 20feecb8ab182177
// sum: 1 0fda60345102e287
// sum: 2 83cb5066f6a5b63b
// sum: 3 8df3790ee0e35f26
// run: -k lib_geometric -g 61 -D T=double -D N=4 -D CROSS b:double4:61:rand,6,-4,4 b:double4:61:rand,7,-4,4 b:double4:122 b:double:366
// sum: 0 20feecb8ab182177
// sum: 1 0fda60345102e287
// sum: 2 5babf3994d22bd22
// sum: 3 8df3790ee0e35f26
#define CAT(a, b) CAT_(a, b)
#define CAT_(a, b) a##b
#define V CAT(T, N)
__kernel void lib_geometric(__global const V *a, __global const V *b, __global V *out, __global T *lengths) {
  int i = get_global_id(0);
  V x = a[i], y = b[i];
  out[2 * i] = normalize(x);
  __global T *l = lengths + 6 * i;
  l[0] = dot(x, y);
  l[1] = length(x);
  l[2] = distance(x, y);
  l[3] = length(x * (T)1e30);
#ifdef FAST
  out[2 * i + 1] = fast_normalize(y);
  l[4] = fast_length(y);
  l[5] = fast_distance(y, x);
#endif
#ifdef CROSS
  out[2 * i + 1] = cross(x, y);
#endif
}
