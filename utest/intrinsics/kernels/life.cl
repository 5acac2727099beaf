// A generation of Conway's game on bytes; by hand 64 cells at once, using that they are 0 or 1.
// run: -k life -g 2046,1022 b:uchar:2048*1024:rand,9,0,1 b:uchar:2048*1024 int:2048
__kernel void life(__global const uchar *in, __global uchar *out, int w) {
  __global const uchar *p = in + (get_global_id(1) + 1) * w + get_global_id(0) + 1;
  int n = p[-w - 1] + p[-w] + p[-w + 1] + p[-1] + p[1] + p[w - 1] + p[w] + p[w + 1];
  out[p - in] = n == 3 || (n == 2 && *p);
}
