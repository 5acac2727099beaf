// Decodes run-length pairs from each work-item's section into its own output row.
// run: -k rle_decode -g 200 b:uchar:3200:rand,224,0,20 b:uchar:12800:const,255 b:int:200
// sum: 0 dba37c784726d92b
// sum: 1 debe6b4f5a7f7e85
// sum: 2 0b9518bc3168d0d4
__kernel void rle_decode(__global const uchar *in, __global uchar *out, __global int *length) {
  int i = get_global_id(0);
  __global const uchar *p = in + 16 * i, *end = p + 16;
  __global uchar *o = out + 64 * i;
  int n = 0;
  while (p + 1 < end) {
    int run = *p++;
    uchar value = *p++;
    if (run == 0)
      break;
    if (run > 15) {
      run -= 15;
      value ^= 0x80;
    }
    while (run-- > 0) {
      if (n == 64)
        goto full;
      o[n++] = value;
    }
  }
full:
  length[i] = n;
}
// bench: -k rle_decode -g 100000 b:uchar:1600000:rand,224,0,20 b:uchar:6400000:const,255 b:int:100000
// sum: 0 cfa75ef56c30af6a
// sum: 1 66cbad0b457437e0
// sum: 2 19567dde53493149
