// Rows of a sparse matrix in slices of 32, interleaved: subscripts are sums of the slice's start, the iteration and the row.
// run: -k rows -g 300 -l 50 b:int:10:index,256,7 b:int:10:rand,601,0,8 b:int:2600:rand,602,0,299 b:int:2600:rand,603,-99,99 b:int:300:rand,604 b:int:300 int:297
// sum: 0 f9e8c763a8aed1ea
// sum: 1 d402d4062caeac6d
// sum: 2 1abc4d1234874a8d
// sum: 3 29b873e230073e1c
// sum: 4 3e17a4242fc54479
// sum: 5 2d3a8715aef224de
// run: -k back -g 300 -l 50 b:int:10:index,256,7 b:int:10:rand,605,-1,7 b:int:2600:rand,606 b:int:300 b:int:10
// sum: 0 f9e8c763a8aed1ea
// sum: 1 e39efb5436230b85
// sum: 2 4b115a3de4e09fcd
// sum: 3 f43e9fe45b9c8316
// sum: 4 906c14f3f6a4ab3d
__kernel void rows(__global const int *begin, __global const int *length, __global const int *column, __global const int *value,
                   __global const int *x, __global int *y, int n) {
  int row = get_global_id(0);
  if (row >= n)
    return;
  int slice = row / 32, base = begin[slice], lane = row % 32, sum = 0;
  for (int k = 0; k < length[slice]; k++) {
    int at = base + k * 32 + lane;
    sum += value[at] * x[column[at]];
  }
  y[row] = sum;
}
// Downward from the last iteration, of which there may be none, and with a constant in the sum.
__kernel void back(__global const int *begin, __global const int *last, __global const int *value, __global int *y, __global int *rounds) {
  int row = get_global_id(0), slice = row >> 5, h = 1;
  for (int k = last[slice]; k >= 0; k--)
    h = h * 31 + value[(begin[slice] - 7 + k * 32) + row % 32 + 7];
  y[row] = h;
  if (row % 32 == 0)
    rounds[slice] = last[slice] + 1;
}
