// Error functions and gamma functions, of numbers and of arbitrary bits, scalar and
// vector. The sums are this compiler's; utest/ulp measures the errors.
// run: -k lib_errors -g 61 -D T=float -D N=2 b:float2:61:rand,1,-3,3 b:float2:122
// sum: 0 e877a9283d45ad66
// sum: 1 d09565adce0866e3
// run: -k lib_errors -g 300 -D T=float -D N= b:float:300:rand,3,-12,12 b:float:600
// sum: 0 7eed05bf0362ed84
// sum: 1 cc05c4d2d225bef3
// run: -k lib_gamma -g 61 -D T=float -D N= b:float:61:rand,5,-9,30 b:float:122 b:int:61
// sum: 0 10a7fd2917325bdb
// sum: 1 b49df6da87fa0108
// sum: 2 512a7c74a49e11ac
// run: -k lib_lgamma -g 61 -D T=float -D N= b:float:61:rand,5,-9,30 b:float:61
// sum: 0 10a7fd2917325bdb
// sum: 1 ac900303f3682a59
// run: -k lib_gamma -g 61 -D T=float -D N=2 b:float2:61:rand,5,-9,30 b:float2:122 b:int2:61
// sum: 0 0e603fbcee91617c
// sum: 1 f1fc9ea221fd049d
// sum: 2 8ddcc8b3c6b44f50
// run: -k lib_errors -g 61 -D T=double -D N=2 b:double2:61:rand,1,-3,3 b:double2:122
// sum: 0 cceeb3c475701565
// sum: 1 523e23b15becbb30
// run: -k lib_errors -g 300 -D T=double -D N= b:double:300:rand,3,-12,12 b:double:600
// sum: 0 72b063f2580118e9
// sum: 1 6854417c950290d1
// run: -k lib_gamma -g 61 -D T=double -D N= b:double:61:rand,5,-9,30 b:double:122 b:int:61
// sum: 0 2c0ddb0cec304897
// sum: 1 13004d14e50c00c6
// sum: 2 512a7c74a49e11ac
// run: -k lib_lgamma -g 61 -D T=double -D N= b:double:61:rand,5,-9,30 b:double:61
// sum: 0 2c0ddb0cec304897
// sum: 1 5013bb4e669aba0e
#define CAT(a, b) CAT_(a, b)
#define CAT_(a, b) a##b
#define V CAT(T, N)
V number(V x) { return isnan(x) ? (V)-7 : x; }
__kernel void lib_errors(__global const V *a, __global V *out) {
  int i = get_global_id(0);
  out[2 * i] = number(erf(a[i]));
  out[2 * i + 1] = number(erfc(a[i]));
}

__kernel void lib_gamma(__global const V *a, __global V *out, __global CAT(int, N) *signs) {
  int i = get_global_id(0);
  out[2 * i] = number(tgamma(a[i]));
  out[2 * i + 1] = number(lgamma_r(a[i], &signs[i]));
}

__kernel void lib_lgamma(__global const V *a, __global V *out) {
  int i = get_global_id(0);
  out[i] = number(lgamma(a[i]));
}
