// vload and vstore of global, constant, local and private memory, at any
// offset; vec_step of types and values (OpenCL C 1.2 6.12.7, 6.12.12).
// run: -k lib_vector_memory -g 64 -l 16 -D T=char -D N=2 b:char:128:rand,5,0,99 b:char:128 local:32 b:int:64
// sum: 0 79e2b92ca9a33c15
// sum: 1 49f1da2f8d68070d
// sum: 3 91240a4f069cbf25
// run: -k lib_vector_memory -g 64 -l 16 -D T=char -D N=16 b:char:1024:rand,5,0,99 b:char:1024 local:256 b:int:64
// sum: 0 3be6978b805de24c
// sum: 1 d559f78583003f73
// sum: 3 9cfd84e48bf1b525
// run: -k lib_vector_memory -g 64 -l 16 -D T=ushort -D N=3 b:ushort:192:rand,5,0,99 b:ushort:192 local:96 b:int:64
// sum: 0 e95893e42e1d98fc
// sum: 1 aa472d150390c620
// sum: 3 9a27e75bdb026f25
// run: -k lib_vector_memory -g 64 -l 16 -D T=int -D N=2 b:int:128:rand,5,0,99 b:int:128 local:128 b:int:64
// sum: 0 de5f16cb6ad44e65
// sum: 1 5c2c17bd4a131b59
// sum: 3 91240a4f069cbf25
// run: -k lib_vector_memory -g 64 -l 16 -D T=int -D N=4 b:int:256:rand,5,0,99 b:int:256 local:256 b:int:64
// sum: 0 0463da0865214f0d
// sum: 1 e7fc026925f9ec9d
// sum: 3 9a27e75bdb026f25
// run: -k lib_vector_memory -g 64 -l 16 -D T=ulong -D N=2 b:ulong:128:rand,5,0,99 b:ulong:128 local:256 b:int:64
// sum: 0 2f88961deae05745
// sum: 1 0fcbc657c0a4ed79
// sum: 3 91240a4f069cbf25
// run: -k lib_vector_memory -g 64 -l 16 -D T=ulong -D N=3 b:ulong:192:rand,5,0,99 b:ulong:192 local:384 b:int:64
// sum: 0 58990c8d93c5843c
// sum: 1 5f3ad5284dedb5f8
// sum: 3 9a27e75bdb026f25
// run: -k lib_vector_memory -g 64 -l 16 -D T=float -D N=3 b:float:192:rand,5,0,99 b:float:192 local:192 b:int:64
// sum: 0 e352a83904e97ef1
// sum: 1 2691b98834d9f557
// sum: 3 9a27e75bdb026f25
// run: -k lib_vector_memory -g 64 -l 16 -D T=float -D N=8 b:float:512:rand,5,0,99 b:float:512 local:512 b:int:64
// sum: 0 77528e636711460e
// sum: 1 a9bdedd4f8622bb9
// sum: 3 78b5fb65ec37f525
// run: -k lib_vector_memory -g 64 -l 16 -D T=double -D N=2 b:double:128:rand,5,0,99 b:double:128 local:256 b:int:64
// sum: 0 8f18479ee4ec5094
// sum: 1 65b24b3b4b238a03
// sum: 3 91240a4f069cbf25
// run: -k lib_vector_memory -g 64 -l 16 -D T=double -D N=4 b:double:256:rand,5,0,99 b:double:256 local:512 b:int:64
// sum: 0 d397b3d4230fecc2
// sum: 1 637e0b1fd334d2e5
// sum: 3 9a27e75bdb026f25
#define CAT(a, b) CAT_(a, b)
#define CAT_(a, b) a##b
#define V CAT(T, N)
#define LOAD CAT(vload, N)
#define STORE CAT(vstore, N)
__constant T fixed[33] = { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33 };
__kernel void lib_vector_memory(__global const T *in, __global T *out, __local T *l, __global int *steps) {
  int i = get_global_id(0), k = get_local_id(0);
  T p[3 * N];
  V x = LOAD(i, in);
  for (int j = 0; j < 3 * N; j++)
    p[j] = (T)j;
  STORE(x, 0, p);
  STORE(x, 1, p + 1);
  STORE(x + LOAD(1, fixed) + LOAD(0, fixed + 1), 0, p + N - 1);
  STORE(LOAD(0, p + 1), k, l);
  STORE(LOAD(k, l), i, out);
  steps[i] = vec_step(V) * 1000 + vec_step(x) * 10 + vec_step(T) + vec_step(x.s0) + vec_step(x.s01);
}
