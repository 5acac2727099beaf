// y = a*x + y, the kernel everybody starts with.
//
// No control flow, contiguous addresses: the loads and stores are plain vector
// moves and the arithmetic one fused multiply-add. Try
//
//	simtc run examples/saxpy.cl -k saxpy -g 16777216 float:2 b:float:16777216:index b:float:16777216:const,1 -n 10
//	simtc compile examples/saxpy.cl --emit asm
//
// run: -k saxpy -g 1000 float:2.5 b:float:1000:rand,1 b:float:1000:rand,2
// sum: 1 69d5201f305c538f
// sum: 2 2d12da4ca8d97de5

__kernel void saxpy(float a, __global const float *x, __global float *y) {
  size_t i = get_global_id(0);
  y[i] = a * x[i] + y[i];
}
