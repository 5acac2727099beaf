// The nearest of some centers, and the largest coordinate of consecutive points: each lane iterates over its own row.
// run: -k nearest -g 150 b:float:6000:rand,310,-4,4 b:float:120:rand,311,-4,4 b:int:150 b:float:150 int:40 int:3
// sum: 0 df5db05903e56fc3
// sum: 1 a54744f06841140c
// sum: 2 79cbf8af2c84b8e7
// sum: 3 6de3f1d71830cfec
__kernel void nearest(__global const float *points, __global const float *centers, __global int *nearest, __global float *largest, int dims, int count) {
  int i = get_global_id(0);
  float best = INFINITY, most = -INFINITY;
  for (int c = 0; c < count; c++) {
    float sum = 0;
    for (int k = 0; k < dims; k++) {
      float apart = points[i * dims + k] - centers[c * dims + k];
      sum += apart * apart;
    }
    if (sum < best) {
      best = sum;
      nearest[i] = c;
    }
  }
  __global const float *row = points + i * dims;
  for (int k = 0; k < dims; k++)
    most = row[k] > most ? row[k] : most;
  largest[i] = most;
}
