// Hyperbolic functions and their inverses, of numbers and of arbitrary bits, scalar
// and vector. The sums are this compiler's; utest/ulp measures the errors.
// run: -k lib_hyperbolic -g 61 -D T=float -D N=2 b:float2:61:rand,1,-3,3 b:float2:366
// sum: 0 e877a9283d45ad66
// sum: 1 1aabd3214f5bb2f5
// run: -k lib_hyperbolic -g 61 -D T=float -D N=4 b:float4:61:rand,1,-3,3 b:float4:366
// sum: 0 fe24ebb2d9619c2a
// sum: 1 10f28adf01078e74
// run: -k lib_hyperbolic -g 300 -D T=float -D N= b:float:300:rand,3,-100,100 b:float:1800
// sum: 0 c17572059d48db18
// sum: 1 c879ac4958b4134f
// run: -k lib_hyperbolic -g 61 -D T=double -D N=2 b:double2:61:rand,1,-3,3 b:double2:366
// sum: 0 cceeb3c475701565
// sum: 1 d3806d0fb805fec4
// run: -k lib_hyperbolic -g 300 -D T=double -D N= b:double:300:rand,3,-100,100 b:double:1800
// sum: 0 c77cbfc27122e1d8
// sum: 1 4f1ee0b73d2560a2
#define CAT(a, b) CAT_(a, b)
#define CAT_(a, b) a##b
#define V CAT(T, N)
V number(V x) { return isnan(x) ? (V)-7 : x; }
__kernel void lib_hyperbolic(__global const V *a, __global V *out) {
  int i = get_global_id(0);
  V x = a[i];
  __global V *o = out + 6 * i;
  o[0] = number(sinh(x));
  o[1] = number(cosh(x));
  o[2] = number(tanh(x));
  o[3] = number(asinh(x));
  o[4] = number(acosh(x));
  o[5] = number(atanh(x));
}
