// Loops that update memory: elements of matrices, structures, vectors, local and private arrays, in while and do loops,
// with trip counts of 0 and updates in some iterations only.
// run: -k products -g 19,13 b:float:19*13:rand,1,-1,1 b:float:13*7:rand,2,-1,1 b:float:7*19:rand,3,-1,1 int:7 float:0.5
// sum: 0 69cbc27345940890
// sum: 1 94af00d2b329e3aa
// sum: 2 a910fd402d250776
// run: -k products -g 19,13 b:float:19*13:rand,1,-1,1 b:float:13*7:rand,2,-1,1 b:float:7*19:rand,3,-1,1 int:0 float:0.5
// sum: 0 59eba64fedc0a38e
// sum: 1 94af00d2b329e3aa
// sum: 2 a910fd402d250776
// run: -k correlation -g 20 b:float:21*21:rand,4,-1,1 b:float:21*21:rand,5,-1,1 int:21 int:11
// sum: 0 6acd2a973218d25a
// sum: 1 4ee5e9dfbac1073f
// run: -k bounds_of -g 37 b:int:74 b:int:37*4:rand,6,-50,50 int:4
// sum: 0 953eb5847efe8f8e
// sum: 1 f061ff445c32ecc8
// run: -k parts -g 48 -l 16 b:int:48 b:int:48:rand,7,0,9 b:float4:48:rand,8,-1,1 int:9
// sum: 0 05b679da3b45d76e
// sum: 1 c61d815dff7040c9
// sum: 2 34957386999d102d
// run: -k rows -g 33 b:uchar:33*3:rand,9,0,255 b:uchar:33*5:rand,10,0,255 int:5
// sum: 0 35286b4f1fd8ea96
// sum: 1 351ae6cbe27d0cfa
kernel void products(global float *c, global const float *a, global const float *b, int n, float beta) {
  int x = get_global_id(0), y = get_global_id(1), w = get_global_size(0);
  for (int k = 0; k < n; k++)
    c[y * w + x] += a[y * n + k] * b[k * w + x] * beta;
}

kernel void correlation(global float *symmetric, global float *data, int m, int n) {
  int x = get_global_id(0);
  if (x < m - 1) {
    symmetric[x * m + x] = 1.0f;
    for (int y = x + 1; y < m; y++) {
      for (int i = 0; i < n; i++)
        symmetric[x * m + y] += data[i * m + x] * data[i * m + y];
      symmetric[y * m + x] = symmetric[x * m + y];
    }
  }
}

typedef struct { int least, greatest; } bounds;
kernel void bounds_of(global bounds *b, global const int *a, int n) {
  int i = get_global_id(0), k = 0;
  do {
    b[i].least = min(b[i].least, a[i * n + k]);
    b[i].greatest = max(b[i].greatest, a[i * n + k]);
  } while (++k < n);
}

kernel void parts(global int *out, global const int *in, global float4 *v, int n) {
  local int part[16];
  int own[3] = {1, 2, 3}, i = get_global_id(0), l = get_local_id(0);
  part[l] = in[i];
  for (int k = 0; k < in[i]; k++) {
    part[l] = part[l] * 3 + k;
    own[l % 3] ^= k;
    v[i] = v[i] * 0.5f + k;
    if (k & 1)
      out[i] += k;
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  out[i] += part[l ^ 1] + own[0] + own[1] * 5 + own[2] * 7;
  for (int k = 0; k < n; k++)
    out[i] = out[i] * 5 + in[k];
}

kernel void rows(global uchar *sum, global const uchar *in, int n) {
  int i = get_global_id(0);
  for (int c = 0; c < 3; c++)
    for (int k = 0; k < n; k++)
      sum[i * 3 + c] += in[i * n + k] >> c;
}
