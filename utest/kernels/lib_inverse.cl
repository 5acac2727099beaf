// Inverse trigonometric functions, cbrt and hypot, of numbers and of arbitrary bits,
// scalar and vector. The sums are this compiler's; utest/ulp measures the errors.
// run: -k lib_inverse -g 61 -D T=float -D N=2 b:float2:61:rand,1,-1.1,1.1 b:float2:61:rand,2,-3,3 b:float2:610
// sum: 0 e8e63f07594b8e43
// sum: 1 32a06bc7fccd4543
// sum: 2 4e3d01b0a0602ebd
// run: -k lib_inverse -g 61 -D T=float -D N=4 b:float4:61:rand,1,-1.1,1.1 b:float4:61:rand,2,-3,3 b:float4:610
// sum: 0 caa8c554e7aa1bf8
// sum: 1 228f8b5e7e9f3dab
// sum: 2 fcdc60366bf17a69
// run: -k lib_inverse -g 300 -D T=float -D N= b:float:300:rand,3,-1e12,1e12 b:float:300:rand,4,-1e20,1e20 b:float:3000
// sum: 0 5005332da6131373
// sum: 1 8f6dd4439d47b663
// sum: 2 9f777c3e88481b80
// run: -k lib_inverse -g 61 -D T=double -D N=2 b:double2:61:rand,1,-1.1,1.1 b:double2:61:rand,2,-3,3 b:double2:610
// sum: 0 ec1c89a777a03f71
// sum: 1 dd1d8d7edbc67089
// sum: 2 4fdeb21a2e410423
// run: -k lib_inverse -g 300 -D T=double -D N= b:double:300:rand,3,-1e12,1e12 b:double:300:rand,4,-1e20,1e20 b:double:3000
// sum: 0 55b7835951d98231
// sum: 1 26ea20a560893527
// sum: 2 0b153aec0be8a324
#define CAT(a, b) CAT_(a, b)
#define CAT_(a, b) a##b
#define V CAT(T, N)
V number(V x) { return isnan(x) ? (V)-7 : x; }
__kernel void lib_inverse(__global const V *a, __global const V *b, __global V *out) {
  int i = get_global_id(0);
  V x = a[i], y = b[i];
  __global V *o = out + 10 * i;
  o[0] = number(acos(x));
  o[1] = number(acospi(x));
  o[2] = number(asin(x));
  o[3] = number(asinpi(x));
  o[4] = number(atan(x));
  o[5] = number(atanpi(x));
  o[6] = number(atan2(x, y));
  o[7] = number(atan2pi(x, y));
  o[8] = number(cbrt(y));
  o[9] = number(hypot(x, y));
}
