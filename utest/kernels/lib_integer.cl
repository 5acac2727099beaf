// Every integer function, of each type as scalar and vector (OpenCL C 1.2 6.12.3).
// run: -k lib_integer -g 61 -D T=char -D N= b:char:61:rand,1 b:char:61:rand,2 b:char:61:rand,3 b:char:1220
// sum: 0 5214196acaea4f0b
// sum: 1 13fe077d3e5930eb
// sum: 2 332db58110c8e237
// sum: 3 f2060b5af8a753f4
// run: -k lib_integer -g 61 -D T=char -D N=16 b:char16:61:rand,1 b:char16:61:rand,2 b:char16:61:rand,3 b:char16:1220
// sum: 0 edd2cce046c18e1b
// sum: 1 b29f36349b58e443
// sum: 2 bd9bb96fb5b2feb3
// sum: 3 515c6564a61fb0cb
// run: -k lib_integer -g 61 -D T=uchar -D N=4 b:uchar4:61:rand,1 b:uchar4:61:rand,2 b:uchar4:61:rand,3 b:uchar4:1220
// sum: 0 3f49a6a58f1e3fb6
// sum: 1 19ee53c6f6ca28e9
// sum: 2 46f5d87835767a27
// sum: 3 1fa7174fff723bb3
// run: -k lib_integer -g 61 -D T=short -D N=2 b:short2:61:rand,1 b:short2:61:rand,2 b:short2:61:rand,3 b:short2:1220
// sum: 0 8325ddb0172aca0e
// sum: 1 bf861073bd5bec21
// sum: 2 14a54dcc57e1874e
// sum: 3 e6a4824bbff583db
// run: -k lib_integer -g 61 -D T=ushort -D N= b:ushort:61:rand,1 b:ushort:61:rand,2 b:ushort:61:rand,3 b:ushort:1220
// sum: 0 bd070e51c00569b6
// sum: 1 06864130133efe17
// sum: 2 b53223052d436129
// sum: 3 02d4cd0b97dcf39e
// run: -k lib_integer -g 61 -D T=ushort -D N=8 b:ushort8:61:rand,1 b:ushort8:61:rand,2 b:ushort8:61:rand,3 b:ushort8:1220
// sum: 0 8a2c81e284ed22a7
// sum: 1 17304e9fa96556d7
// sum: 2 227659047e1b2d1f
// sum: 3 f3d227cac944726f
// run: -k lib_integer -g 61 -D T=int -D N= b:int:61:rand,1 b:int:61:rand,2 b:int:61:rand,3 b:int:1220
// sum: 0 9eac65f41c9f1ee8
// sum: 1 9d1f068ba9745b7f
// sum: 2 29b9a461bf669f29
// sum: 3 69d85be15d8ba0d8
// run: -k lib_integer -g 61 -D T=int -D N=2 b:int2:61:rand,1 b:int2:61:rand,2 b:int2:61:rand,3 b:int2:1220
// sum: 0 ca2edbec34a4e51d
// sum: 1 ff264d2cead0dcfe
// sum: 2 871e7e309a585601
// sum: 3 c52434d63172da06
// run: -k lib_integer -g 61 -D T=uint -D N=4 b:uint4:61:rand,1 b:uint4:61:rand,2 b:uint4:61:rand,3 b:uint4:1220
// sum: 0 5b1e6cf829e12cc7
// sum: 1 ed5c2fc6e34e6f16
// sum: 2 2c28bc09d6555c6c
// sum: 3 ee5adeecdec14885
// run: -k lib_integer -g 61 -D T=long -D N= b:long:61:rand,1 b:long:61:rand,2 b:long:61:rand,3 b:long:1220
// sum: 0 20a522c75887b3d1
// sum: 1 24ff9b705c32843e
// sum: 2 179bcf895eea8119
// sum: 3 621c80a03cc24afb
// run: -k lib_integer -g 61 -D T=long -D N=2 b:long2:61:rand,1 b:long2:61:rand,2 b:long2:61:rand,3 b:long2:1220
// sum: 0 7cd19d40b5f8014b
// sum: 1 d4ead185881339c2
// sum: 2 29f1f2d8f3a3defc
// sum: 3 6af9149559b57978
// run: -k lib_integer -g 61 -D T=ulong -D N=2 b:ulong2:61:rand,1 b:ulong2:61:rand,2 b:ulong2:61:rand,3 b:ulong2:1220
// sum: 0 7cd19d40b5f8014b
// sum: 1 d4ead185881339c2
// sum: 2 29f1f2d8f3a3defc
// sum: 3 8cadd379e7eee49c
// run: -k lib_mul24 -g 61 -D T=int -D N= -D MUL24 b:int:61:rand,1 b:int:61:rand,2 b:int:61:rand,3 b:int:122
// sum: 0 9eac65f41c9f1ee8
// sum: 1 9d1f068ba9745b7f
// sum: 2 29b9a461bf669f29
// sum: 3 b52451ad3e7219d7
// run: -k lib_mul24 -g 61 -D T=int -D N=2 -D MUL24 b:int2:61:rand,1 b:int2:61:rand,2 b:int2:61:rand,3 b:int2:122
// sum: 0 ca2edbec34a4e51d
// sum: 1 ff264d2cead0dcfe
// sum: 2 871e7e309a585601
// sum: 3 9228607749a04a7e
// run: -k lib_mul24 -g 61 -D T=uint -D N=4 -D MUL24 b:uint4:61:rand,1 b:uint4:61:rand,2 b:uint4:61:rand,3 b:uint4:122
// sum: 0 5b1e6cf829e12cc7
// sum: 1 ed5c2fc6e34e6f16
// sum: 2 2c28bc09d6555c6c
// sum: 3 fc19897a606954e3
#define CAT(a, b) CAT_(a, b)
#define CAT_(a, b) a##b
#define V CAT(T, N)
#define AS_V CAT(as_, V)
__kernel void lib_integer(__global const V *a, __global const V *b, __global const V *c, __global V *out) {
  int i = get_global_id(0);
  V x = a[i], y = b[i], z = c[i];
  __global V *o = out + 20 * i;
  o[0] = AS_V(abs(x));
  o[1] = AS_V(abs_diff(x, y));
  o[2] = add_sat(x, y);
  o[3] = sub_sat(x, y);
  o[4] = hadd(x, y);
  o[5] = rhadd(x, y);
  o[6] = clamp(x, min(y, z), max(y, z));
  o[7] = clz(x);
  o[8] = mad_hi(x, y, z);
  o[9] = mad_sat(x, y, z);
  o[10] = mul_hi(x, y);
  o[11] = rotate(x, y);
  o[12] = popcount(x);
  o[13] = max(x, y);
  o[14] = min(x, z);
  o[15] = bitselect(x, y, z);
  o[16] = select(x, y, z);
  T s = ((__global const T *)b)[i];
  o[17] = max(x, s);
  o[18] = min(x, s);
  o[19] = clamp(x, min(s, (T)5), max(s, (T)5));
}

#ifdef MUL24
__kernel void lib_mul24(__global const V *a, __global const V *b, __global const V *c, __global V *out) {
  int i = get_global_id(0);
  V x = a[i] >> (V)9, y = b[i] >> (V)9;
  out[2 * i] = mul24(x, y);
  out[2 * i + 1] = mad24(x, y, c[i]);
}
#endif
