// shuffle and shuffle2 to as many, fewer and more components (OpenCL C 1.2 6.12.12).
// run: -k lib_shuffle -g 61 -D T=char -D U=uchar -D N=16 -D M=4 b:char16:61:rand,1,0,100 b:char16:61:rand,2,0,100 b:uchar4:61:rand,3 b:char4:122
// sum: 0 8d86421898a781ef
// sum: 1 c6928feaf2ba69cf
// sum: 2 46f5d87835767a27
// sum: 3 baecedd19dd2a131
// run: -k lib_shuffle -g 61 -D T=char -D U=uchar -D N=2 -D M=8 b:char2:61:rand,1,0,100 b:char2:61:rand,2,0,100 b:uchar8:61:rand,3 b:char8:122
// sum: 0 25027613634eeeae
// sum: 1 972c226cb3adc2ac
// sum: 2 bae63d800c5f8694
// sum: 3 e62e64bc8afeedb8
// run: -k lib_shuffle -g 61 -D T=ushort -D U=ushort -D N=4 -D M=4 b:ushort4:61:rand,1,0,100 b:ushort4:61:rand,2,0,100 b:ushort4:61:rand,3 b:ushort4:122
// sum: 0 333404fc115ec4b8
// sum: 1 51b792ca14569c01
// sum: 2 f5f0afa7ea59ba4b
// sum: 3 226d420344bad228
// run: -k lib_shuffle -g 61 -D T=ushort -D U=ushort -D N=8 -D M=2 b:ushort8:61:rand,1,0,100 b:ushort8:61:rand,2,0,100 b:ushort2:61:rand,3 b:ushort2:122
// sum: 0 614bb09d2565d71b
// sum: 1 53b9098a450352ff
// sum: 2 14a54dcc57e1874e
// sum: 3 3021e3c9b521054a
// run: -k lib_shuffle -g 61 -D T=int -D U=uint -D N=2 -D M=4 b:int2:61:rand,1,0,100 b:int2:61:rand,2,0,100 b:uint4:61:rand,3 b:int4:122
// sum: 0 338eb3b603e01712
// sum: 1 da1918bb8dbf666e
// sum: 2 2c28bc09d6555c6c
// sum: 3 48eb8244540dd9fe
// run: -k lib_shuffle -g 61 -D T=int -D U=uint -D N=4 -D M=4 b:int4:61:rand,1,0,100 b:int4:61:rand,2,0,100 b:uint4:61:rand,3 b:int4:122
// sum: 0 b4d291a9e24420d8
// sum: 1 035ea630132a3429
// sum: 2 2c28bc09d6555c6c
// sum: 3 c526758e576a7790
// run: -k lib_shuffle -g 61 -D T=float -D U=uint -D N=4 -D M=8 b:float4:61:rand,1,0,100 b:float4:61:rand,2,0,100 b:uint8:61:rand,3 b:float8:122
// sum: 0 9566bc6adcf0f7d8
// sum: 1 ce49ed0d6f862181
// sum: 2 bac03600a90bed4e
// sum: 3 a0e1103b370aebfb
// run: -k lib_shuffle -g 61 -D T=float -D U=uint -D N=8 -D M=4 b:float8:61:rand,1,0,100 b:float8:61:rand,2,0,100 b:uint4:61:rand,3 b:float4:122
// sum: 0 84ff48d07b2a09c9
// sum: 1 b9d172554b1cc22d
// sum: 2 2c28bc09d6555c6c
// sum: 3 9d7291d6f0c63a14
// run: -k lib_shuffle -g 61 -D T=double -D U=ulong -D N=4 -D M=2 b:double4:61:rand,1,0,100 b:double4:61:rand,2,0,100 b:ulong2:61:rand,3 b:double2:122
// sum: 0 737900e23ee029c2
// sum: 1 b2d83b481e19e30c
// sum: 2 29f1f2d8f3a3defc
// sum: 3 432065a4786de92a
// run: -k lib_shuffle -g 61 -D T=double -D U=ulong -D N=2 -D M=2 b:double2:61:rand,1,0,100 b:double2:61:rand,2,0,100 b:ulong2:61:rand,3 b:double2:122
// sum: 0 bda69e703e937262
// sum: 1 b3934e5a8ac8b73c
// sum: 2 29f1f2d8f3a3defc
// sum: 3 4434e71a97f9afee
// run: -k lib_shuffle -g 61 -D T=ulong -D U=ulong -D N=2 -D M=8 b:ulong2:61:rand,1,0,100 b:ulong2:61:rand,2,0,100 b:ulong8:61:rand,3 b:ulong8:122
// sum: 0 f02031791a7e6b32
// sum: 1 fec30512e445f55e
// sum: 2 7089c53c5e4fc2eb
// sum: 3 e9bd10413adb7c90
#define CAT(a, b) CAT_(a, b)
#define CAT_(a, b) a##b
__kernel void lib_shuffle(__global const CAT(T, N) *a, __global const CAT(T, N) *b, __global const CAT(U, M) *masks, __global CAT(T, M) *out) {
  int i = get_global_id(0);
  out[2 * i] = shuffle(a[i], masks[i]);
  out[2 * i + 1] = shuffle2(a[i], b[i], masks[i]);
}
