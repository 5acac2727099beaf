// Truncations from each size to each smaller one, of all bits and of those that remain, and selections of
// small elements by comparisons of larger ones.
// run: -k narrowed -g 1000 b:ulong:1000:rand,31 b:uint:1000:rand,32 b:ushort:1000:rand,33 b:uchar:1000 b:uchar:1000 b:uchar:1000 b:ushort:1000 b:ushort:1000 b:uint:1000 b:uchar:1000 b:ushort:1000
// sum: 0 ec85c51c2418739c
// sum: 1 98f4e65569c042cf
// sum: 2 86b274a5b8034c2c
// sum: 3 fc40b9273728167b
// sum: 4 d92ac014728959d1
// sum: 5 b9bd325d54b42b46
// sum: 6 aa08cc0c67488ca2
// sum: 7 bc69f00585ec044f
// sum: 8 06b49227c938d11b
// sum: 9 c7a8fb44a4ca41d0
// sum: 10 60dd371306490ed5
// run: -k narrowed -g 83 b:ulong:83:rand,34 b:uint:83:rand,35 b:ushort:83:rand,36 b:uchar:83 b:uchar:83 b:uchar:83 b:ushort:83 b:ushort:83 b:uint:83 b:uchar:83 b:ushort:83
// sum: 0 52ebe3d87917e9fe
// sum: 1 9723ff001d7f36c2
// sum: 2 3f5fc81d78a3d230
// sum: 3 00ca36f246888d05
// sum: 4 e6693ed91eb4227c
// sum: 5 7843cd6564f7aa4d
// sum: 6 d6ad8a2a8e39d02b
// sum: 7 ab776420b1f8dc81
// sum: 8 dcce73cc97772a09
// sum: 9 0ca8d599861f57dd
// sum: 10 b5fd7608cd599bf1
__kernel void narrowed(__global const ulong *x8, __global const uint *x4, __global const ushort *x2, __global uchar *b8, __global uchar *b4,
                       __global uchar *b2, __global ushort *w8, __global ushort *w4, __global uint *d8, __global uchar *s, __global ushort *t) {
  size_t i = get_global_id(0);
  b8[i] = x8[i];
  b4[i] = x4[i];
  b2[i] = x2[i];
  w8[i] = x8[i] >> 17;
  w4[i] = x4[i];
  d8[i] = x8[i];
  s[i] = (x8[i] & 1) != 0 ? (uchar)(x4[i] >> 24) : (long)x8[i] < 0 ? (uchar)(x2[i] & 255) : (uchar)(x8[i] >> 56);
  t[i] = (int)x4[i] > 5000 ? (ushort)(x8[i] >> 48) : (ushort)(x4[i] >> 16);
}
