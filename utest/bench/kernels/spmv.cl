// Sparse matrix times vector, compressed rows of 0 to 31 entries: gathers under a divergent trip count.
// run: -k spmv -g 524288 b:uint:524288:rand,210,0,31 b:uint:524288*32:rand,211,0,524287 b:float:524288*32:rand,212,-1,1 b:float:524288:rand,213 b:float:524288
// sum: 0 fcd2ed0c9cd17ed8
// sum: 1 c7b0767a70314d34
// sum: 2 b697ae847cf09895
// sum: 3 e0a1ab40d93b562f
// sum: 4 2788ccb03230187a
__kernel void spmv(__global const uint *lengths, __global const uint *columns, __global const float *values, __global const float *x, __global float *y) {
  uint row = get_global_id(0);
  uint begin = row * 32, end = begin + lengths[row];
  float sum = 0.0f;
  for (uint k = begin; k < end; k++)
    sum += values[k] * x[columns[k]];
  y[row] = sum;
}
