// Sparse matrix times vector, compressed rows whose length comes from the row pointers.
// run: -k spmv_csr -g 300 b:uint:301:rand,210,0,6 b:uint:2000:rand,211,0,299 b:float:2000:rand,212,-1,1 b:float:300:rand,213 b:float:300
// sum: 0 e6a88b9c1ef41f55
// sum: 1 d9b433342fffc2ba
// sum: 2 4c107505077bc6a9
// sum: 3 0ddb3b7aebc373b5
// sum: 4 167cf473478473e2
__kernel void spmv_csr(__global const uint *lens, __global const uint *cols, __global const float *vals, __global const float *x, __global float *y) {
  uint row = get_global_id(0);
  uint begin = row * 6, end = begin + lens[row];
  float sum = 0.0f;
  for (uint k = begin; k < end; k++)
    sum += vals[k] * x[cols[k]];
  y[row] = sum;
}
