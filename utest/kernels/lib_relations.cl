// Every relational function, scalar and vector (OpenCL C 1.2 6.12.6).
// run: -k lib_relations -g 61 -D T=float -D N= -D L=int -D Q=int b:int:61:rand,1 b:int:61:rand,2 b:int:61:rand,3 b:int:854 b:float:122 b:int:61
// sum: 0 9eac65f41c9f1ee8
// sum: 1 9d1f068ba9745b7f
// sum: 2 29b9a461bf669f29
// sum: 3 fcf734fb7dfa4694
// sum: 4 e60a3c6a4e381dc7
// sum: 5 e26f53fc785af5e6
// run: -k lib_relations -g 61 -D T=float -D N=2 -D L=int -D Q=int b:int2:61:rand,1 b:int2:61:rand,2 b:int2:61:rand,3 b:int2:854 b:float2:122 b:int:61
// sum: 0 ca2edbec34a4e51d
// sum: 1 ff264d2cead0dcfe
// sum: 2 871e7e309a585601
// sum: 3 a0bfa627b50f4b25
// sum: 4 6de97c347e462535
// sum: 5 4a03a5a3610c5acf
// run: -k lib_relations -g 61 -D T=float -D N=4 -D L=int -D Q=int b:int4:61:rand,1 b:int4:61:rand,2 b:int4:61:rand,3 b:int4:854 b:float4:122 b:int:61
// sum: 0 5b1e6cf829e12cc7
// sum: 1 ed5c2fc6e34e6f16
// sum: 2 2c28bc09d6555c6c
// sum: 3 e7b472f3876c1591
// sum: 4 7d1ac0b302882a02
// sum: 5 341e054b1703d80e
// run: -k lib_relations -g 61 -D T=double -D N= -D L=long -D Q=int b:long:61:rand,1 b:long:61:rand,2 b:long:61:rand,3 b:int:854 b:double:122 b:int:61
// sum: 0 20a522c75887b3d1
// sum: 1 24ff9b705c32843e
// sum: 2 179bcf895eea8119
// sum: 3 c153d3e05059fd44
// sum: 4 b1019ca214023ff3
// sum: 5 97eba273c9cfcc9e
// run: -k lib_relations -g 61 -D T=double -D N=2 -D L=long -D Q=long b:long2:61:rand,1 b:long2:61:rand,2 b:long2:61:rand,3 b:long2:854 b:double2:122 b:int:61
// sum: 0 7cd19d40b5f8014b
// sum: 1 d4ead185881339c2
// sum: 2 29f1f2d8f3a3defc
// sum: 3 81328e37869ce78d
// sum: 4 d71797e411bf1689
// sum: 5 9d9b573ffd82659d
#define CAT(a, b) CAT_(a, b)
#define CAT_(a, b) a##b
#define V CAT(T, N)
#define I CAT(L, N)
#define R CAT(Q, N)
__kernel void lib_relations(__global const I *a, __global const I *b, __global const I *c, __global R *out, __global V *chosen, __global int *anys) {
  int i = get_global_id(0);
  V x = CAT(as_, V)(a[i]), y = CAT(as_, V)(b[i]);
  __global R *o = out + 14 * i;
  o[0] = isequal(x, i & 1 ? x : y);
  o[1] = isnotequal(x, y);
  o[2] = isgreater(x, y);
  o[3] = isgreaterequal(x, y);
  o[4] = isless(x, y);
  o[5] = islessequal(x, y);
  o[6] = islessgreater(x, y);
  o[7] = isfinite(x);
  o[8] = isinf(y);
  o[9] = isnan(x);
  o[10] = isnormal(x);
  o[11] = isordered(x, y);
  o[12] = isunordered(x, y);
  o[13] = signbit(x);
  x = isnan(x) ? (V)1 : x;
  y = isnan(y) ? (V)2 : y;
  V picked = bitselect(x, y, CAT(as_, V)(c[i]));
  chosen[2 * i] = isnan(picked) ? (V)3 : picked;
  chosen[2 * i + 1] = select(x, y, c[i]);
  anys[i] = any(a[i] & c[i]) + 2 * all(b[i]) + 4 * any(a[i] & 0) + 8 * all(a[i] | b[i] | c[i]);
}
