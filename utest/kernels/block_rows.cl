// Rows of a matrix in blocks of 4x4 taken from a few shared ones: each work-item
// multiplies the blocks of its row with the corresponding parts of the vector. The index
// of a block is a small number scaled twice, and its elements are loaded where they are used.
//
// run: -k block_rows -g 192 b:int4:64*4:rand,3,-50,50 b:uint:192*6:rand,5 b:int4:192:rand,7,-1000,1000 b:uchar:192:rand,9,0,6 b:int4:192
// sum: 0 86c4e003a122bb9e
// sum: 1 ae1cfee5e4807ae3
// sum: 2 35aa01c5b299704b
// sum: 3 fc00937b1731aac0
// sum: 4 9327e31c12d50ec2

__kernel void block_rows(__global const int4 *blocks, __global const uint *columns, __global const int4 *x,
                         __global const uchar *counts, __global int4 *y) {
  uint row = get_global_id(0);
  int4 sum = (int4)(0);
  for (uint i = 0; i < counts[row]; i++) {
    uint at = row * 6 + i;
    __global const int4 *b = blocks + 4 * (at * 7 % 64);
    int4 v = x[columns[at] % 192];
    sum += b[0] * v.x + b[1] * v.y + b[2] * v.z + b[3] * v.w;
  }
  y[row] = sum;
}
