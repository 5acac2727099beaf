// vload_half and vstore_half, aligned and not, in every rounding mode, of float
// and double (OpenCL C 1.2 6.12.7).
// run: -k lib_half_store -g 61 -D T=float -D N=2 b:float:122:rand,1,-70000,70000 b:ushort:610 b:ushort:610
// sum: 0 22a5fd934efa8663
// sum: 1 abce1ce7f8d943b4
// sum: 2 abce1ce7f8d943b4
// run: -k lib_half_store -g 61 -D T=float -D N=2 b:float:122:rand,1,-0.0001,0.0001 b:ushort:610 b:ushort:610
// sum: 0 17885929bd87e9fa
// sum: 1 22576d8f3c7c0a18
// sum: 2 22576d8f3c7c0a18
// run: -k lib_half_store -g 61 -D T=float -D N=3 b:float:183:rand,1,-70000,70000 b:ushort:915 b:ushort:1220
// sum: 0 b2e9a82c6fee2f7a
// sum: 1 e917bda465f118b7
// sum: 2 9b5535b5eb055e7f
// run: -k lib_half_store -g 61 -D T=float -D N=3 b:float:183:rand,1,-0.0001,0.0001 b:ushort:915 b:ushort:1220
// sum: 0 e2bad851ab665a7e
// sum: 1 e860b447548f4e14
// sum: 2 c24ac250d7b85edc
// run: -k lib_half_scalar -g 61 -D T=float -D N=2 b:float:61:rand,1,-70000,70000 b:ushort:305 b:float:61
// sum: 0 8bd957c77f705a22
// sum: 1 390207672c8e0cc4
// sum: 2 6c337b4afa7867d7
// run: -k lib_half_store -g 61 -D T=double -D N=3 b:double:183:rand,1,-70000,70000 b:ushort:915 b:ushort:1220
// sum: 0 5c3a5c134ca379c6
// sum: 1 e917bda465f118b7
// sum: 2 9b5535b5eb055e7f
// run: -k lib_half_store -g 61 -D T=double -D N=3 b:double:183:rand,1,-0.0001,0.0001 b:ushort:915 b:ushort:1220
// sum: 0 837806a4706c9592
// sum: 1 e860b447548f4e14
// sum: 2 c24ac250d7b85edc
// run: -k lib_half_scalar -g 61 -D T=double -D N=2 b:double:61:rand,1,-70000,70000 b:ushort:305 b:float:61
// sum: 0 97fabdd94d46207f
// sum: 1 390207672c8e0cc4
// sum: 2 6c337b4afa7867d7
// run: -k lib_half_load -g 61 -D T=float -D N=2 b:short:122:rand,1,-30000,-1100 b:short:122:rand,2,0,31000 b:float:244
// sum: 0 2b516d241cc8f18b
// sum: 1 bc5d8e976370ba16
// sum: 2 c0ba9f2358e41cf8
// run: -k lib_half_load -g 61 -D T=float -D N=3 b:short:183:rand,1,-30000,-1100 b:short:244:rand,2,0,31000 b:float:366
// sum: 0 e5bf0e729b19a252
// sum: 1 6044556b42ca4185
// sum: 2 b962a46428e5bfef
// run: -k lib_half_load -g 61 -D T=float -D N=16 b:short:976:rand,1,-30000,-1100 b:short:976:rand,2,0,31000 b:float:1952
// sum: 0 154f944c007740cd
// sum: 1 3cd5d0b4d137332a
// sum: 2 ca3209b504825800
#define CAT(a, b) CAT_(a, b)
#define CAT_(a, b) a##b
#define V CAT(T, N)
#define STORE(round, k) \
  CAT(CAT(vstore_half, N), round)(x, i * 5 + k, out); \
  CAT(CAT(vstorea_half, N), round)(x, i * 5 + k, aligned);
__kernel void lib_half_store(__global const T *in, __global half *out, __global half *aligned) {
  int i = get_global_id(0);
  V x = CAT(vload, N)(i, in);
  STORE(, 0)
  STORE(_rte, 1)
  STORE(_rtz, 2)
  STORE(_rtp, 3)
  STORE(_rtn, 4)
}

__kernel void lib_half_scalar(__global const T *in, __global half *out, __global float *back) {
  int i = get_global_id(0);
  vstore_half(in[i], i * 5, out);
  vstore_half_rte(in[i], i * 5 + 1, out);
  vstore_half_rtz(in[i], i * 5 + 2, out);
  vstore_half_rtp(in[i], i * 5 + 3, out);
  vstore_half_rtn(in[i], i * 5 + 4, out);
  back[i] = vload_half(i * 5 + 2, out) + vload_half(i * 5 + 3, out);
}

__kernel void lib_half_load(__global const half *in, __constant half *fixed, __global float *out) {
  int i = get_global_id(0);
  CAT(vstore, N)(CAT(vload_half, N)(i, in), 2 * i, out);
  CAT(vstore, N)(CAT(vloada_half, N)(i, fixed), 2 * i + 1, out);
}
